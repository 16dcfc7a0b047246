import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { defaultSettings, parseSettings, readSettings } from '../../src/hive/settings.ts';
import { tempDir } from '../helpers/temp-dir.ts';

describe('hive.json', () => {
  it('fills in every default of an empty object, an empty file and a missing one', () => {
    const dir = tempDir();
    expect(parseSettings('{}')).toEqual(defaultSettings());
    expect(parseSettings(' \n')).toEqual(defaultSettings());
    expect(readSettings(createNodeFs(), join(dir, 'hive.json'))).toEqual(defaultSettings());
  });

  it('takes one knob and leaves its neighbours at their defaults', () => {
    const { loops } = parseSettings('{"loops":{"pairTurns":3}}');
    expect(loops).toEqual({ ...defaultSettings().loops, pairTurns: 3 });
  });

  it('names the field of a wrong value', () => {
    expect(() => parseSettings('{"pollMs":"fast"}')).toThrow(/"pollMs"/);
    expect(() => parseSettings('{"hopCap":0}')).toThrow(/"hopCap"/);
    expect(() => parseSettings('{"doorbell":{"codexHomes":["here"]}}')).toThrow(
      /"doorbell\.codexHomes\.0": must be an absolute path/,
    );
    expect(() => parseSettings('{"limits":{"depth":1.5}}')).toThrow(/"limits\.depth"/);
  });

  it('says which knob an unknown one may have meant, at every level', () => {
    expect(() => parseSettings('{"pollMS":5}')).toThrow(/did you mean "pollMs"/);
    expect(() => parseSettings('{"loops":{"pairTurn":5}}')).toThrow(
      /"loops\.pairTurn".*"loops\.pairTurns"/,
    );
    expect(() => parseSettings('{"xyzzy":5}')).toThrow(/"xyzzy" is no setting; remove it/);
  });

  it('says what to write instead of broken JSON, with a code', () => {
    const dir = tempDir();
    const path = join(dir, 'hive.json');
    writeFileSync(path, '{"pollMs": 15');
    expect(() => readSettings(createNodeFs(), path)).toThrow(
      expect.objectContaining({ code: 'bad-settings', message: expect.stringContaining('{}') }),
    );
  });
});
