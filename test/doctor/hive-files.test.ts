import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TEMPLATE_DIR } from '../../src/hive/init.ts';
import { makeScene } from './scene.ts';

describe('registry.json', () => {
  it.each([
    ['half-written', '{"godId": "god", "agents": {"god": {'],
    ['empty', ''],
    ['no roster', '[]'],
    ['of the wrong types', '{"agents": {"god": {"name": 7}}}'],
  ])('is an error when it is %s, and names the directories that are there', async (_, text) => {
    const { look, write } = await makeScene();
    write('registry.json', text);
    const [finding] = await look('registry');
    expect(finding).toMatchObject({
      level: 'error',
      what: expect.stringMatching(/^registry\.json /),
    });
    expect(finding?.advice).toContain('coder, god, planner');
    expect(await look('mailboxes')).toMatchObject([
      { level: 'ok', what: expect.stringMatching(/^4 /) },
    ]);
  });

  it('is an error when it is missing', async () => {
    const { look, layout } = await makeScene();
    rmSync(layout.registry);
    expect(await look('registry')).toMatchObject([
      { level: 'error', what: expect.stringContaining('missing') },
    ]);
  });

  it('is warned of when a key can be no id', async () => {
    const { look, roster } = await makeScene();
    roster(({ agents }) => Object.assign(agents, { Coder: {}, system: {} }));
    expect(await look('registry')).toMatchObject([
      { level: 'warning', what: 'No ids, so these agents have no mail: "Coder", "system".' },
    ]);
  });

  it('is warned of when godId names nobody, or one that is archived', async () => {
    const { look, roster } = await makeScene();
    roster((registry) => Object.assign(registry, { godId: 'zeus' }));
    expect(await look('registry')).toMatchObject([
      { level: 'warning', what: 'godId names "zeus", and there is no such agent.' },
      { level: 'warning', what: 'Another agent is marked as the orchestrator: god.' },
    ]);
    roster((registry) => {
      registry.godId = 'god';
      registry.agents['god'] = { isGod: true, archived: true };
    });
    expect(await look('registry')).toMatchObject([
      { level: 'warning', what: 'godId names "god", which is archived.' },
    ]);
  });

  it('is warned of when two agents are marked as the orchestrator, and says which counts', async () => {
    const { look, roster } = await makeScene();
    roster(({ agents }) => Object.assign(agents['coder'] ?? {}, { isGod: true }));
    expect(await look('registry')).toMatchObject([
      {
        level: 'warning',
        what: 'Several agents are marked as the orchestrator: god, coder.',
        means: 'A hive has at most one; god counts.',
        advice: '`hivemail agent set coder --no-orchestrator`',
      },
    ]);
  });

  it('is noted when a display name is used twice, or is another’s id', async () => {
    const { look, roster } = await makeScene();
    roster(({ agents }) => {
      agents['god'] = { name: 'Coder', isGod: true };
      agents['planner'] = { name: 'Alex' };
      agents['tester'] = { name: ' alex' };
      agents['old'] = { name: 'Alex', archived: true };
    });
    expect(await look('registry')).toMatchObject([
      {
        level: 'note',
        what: 'A display name of several agents: "coder" (god, coder), "alex" (planner, tester).',
      },
      { level: 'note', what: 'A display name that is another agent’s id: god is called "Coder".' },
    ]);
  });

  it('is fine without an orchestrator', async () => {
    const { look, roster } = await makeScene();
    roster((registry) => {
      registry.godId = null;
      registry.agents['god'] = {};
    });
    expect(await look('registry')).toMatchObject([
      { level: 'ok', what: expect.stringContaining('no orchestrator') },
    ]);
  });
});

describe('hive.json and tasks.json', () => {
  it.each([
    ['an unknown field', '{"polMs": 1500}', '"polMs" is no setting; did you mean "pollMs"?'],
    ['a wrong value', '{"pollMs": 1}', '"pollMs"'],
    ['no JSON', '{', 'not valid JSON'],
  ])('are an error with %s', async (_, text, what) => {
    const { look, write } = await makeScene();
    write('hive.json', text);
    expect(await look('settings')).toMatchObject([
      { level: 'error', what: expect.stringContaining(what) },
    ]);
  });

  it('are noted when they are missing', async () => {
    const { look, layout } = await makeScene();
    rmSync(layout.settings);
    rmSync(layout.tasks);
    expect(await look('settings')).toMatchObject([{ level: 'note' }]);
    expect(await look('tasks')).toMatchObject([{ level: 'note' }]);
  });

  it.each(['{', '[]', 'null', ''])('are warned of when the ledger is %j', async (text) => {
    const { look, write } = await makeScene();
    write('tasks.json', text);
    expect(await look('tasks')).toMatchObject([{ level: 'warning' }]);
  });
});

describe('PROTOCOL.md', () => {
  const shipped = readFileSync(join(TEMPLATE_DIR, 'PROTOCOL.md'), 'utf8');

  it('is written when it is missing', async () => {
    const { look, fix, layout } = await makeScene();
    rmSync(layout.protocol);
    expect(await look('protocol')).toMatchObject([
      { level: 'warning', what: 'There is no PROTOCOL.md.' },
    ]);
    await fix('protocol');
    expect(readFileSync(layout.protocol, 'utf8')).toBe(shipped);
  });

  it('is brought up to date when a release shipped it so, which line ends don’t change', async () => {
    const { look, fix, layout } = await makeScene();
    writeFileSync(layout.protocol, shipped.replaceAll('\n', '\r\n'));
    expect(await look('protocol')).toMatchObject([
      { level: 'warning', what: 'PROTOCOL.md is of an earlier release.' },
    ]);
    await fix('protocol');
    expect(readFileSync(layout.protocol, 'utf8')).toBe(shipped);
    expect(await look('protocol')).toMatchObject([{ level: 'ok' }]);
  });

  it('is left alone when it was edited, and the new text is pointed to where it is', async () => {
    const { look, fix, layout } = await makeScene();
    writeFileSync(layout.protocol, `${shipped}\nHouse rule: be brief.\n`);
    expect(await fix('protocol')).toEqual([]);
    expect(await look('protocol')).toMatchObject([
      { level: 'note', means: expect.stringContaining('A router that starts puts') },
    ]);
    writeFileSync(`${layout.protocol}.new`, shipped);
    expect(await look('protocol')).toMatchObject([
      { level: 'note', means: expect.stringContaining('is in PROTOCOL.md.new') },
    ]);
  });
});
