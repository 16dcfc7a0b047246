import { describe, expect, it } from 'vitest';
import type { FileStat } from '../../src/hive/hive-fs.ts';
import { floodShare, takeTurns } from '../../src/spool/fair-share.ts';
import type { Candidate } from '../../src/spool/scan.ts';
import { agentId } from './spool-scene.ts';

const BUDGET = { lettersPerSender: 3, bytesPerSender: 1000, letterBytes: 800 };

/** Letters of senders in turn, as a scan gives them. */
function candidates(waiting: Record<string, number>, sizeBytes = 10): Candidate[] {
  const most = Math.max(...Object.values(waiting));
  return Array.from({ length: most }, (_, n) =>
    Object.entries(waiting).flatMap(([agent, count]) =>
      n < count
        ? [{ agent: agentId(agent), name: `${n}.json`, stat: { sizeBytes } as FileStat }]
        : [],
    ),
  ).flat();
}

const namesOf = (some: readonly Candidate[]) => some.map(({ agent, name }) => `${agent}/${name}`);

describe('the turns of a pass', () => {
  it('go to those first who have no more waiting than a pass takes of each, in their order', () => {
    const { quiet, flood, flooders } = takeTurns(candidates({ a: 4, b: 2, c: 3 }), BUDGET);
    expect(namesOf(quiet)).toEqual(['b/0.json', 'c/0.json', 'b/1.json', 'c/1.json', 'c/2.json']);
    expect(namesOf(flood)).toEqual(['a/0.json', 'a/1.json', 'a/2.json', 'a/3.json']);
    expect(flooders).toBe(1);
  });
  it('count bytes as well, of a file that is too large for a letter no more than a letter has', () => {
    const { flood } = takeTurns(candidates({ a: 2, b: 1 }, 600), BUDGET);
    expect(namesOf(flood)).toEqual(['a/0.json', 'a/1.json']);
    expect(takeTurns(candidates({ a: 1 }, 1_000_000), BUDGET).flooders).toBe(0);
  });
  it('are of nobody where nothing waits', () => {
    expect(takeTurns([], BUDGET)).toEqual({ quiet: [], flood: [], flooders: 0 });
  });
});

describe('the share of a flood', () => {
  it.each<[string, [number, number, number], number]>([
    ['all that a pass has time for, while nobody else has letters', [1, 0, 80], 80],
    ['ten letters, where others have a few', [1, 1, 80], 10],
    ['as many as others have', [1, 37, 80], 37],
    ['never more than a pass has time for', [1, 300, 80], 80],
    ['also where that is less than ten', [1, 3, 4], 4],
    ['split between those who flood', [4, 37, 80], 9],
    ['one letter at least', [100, 1, 80], 1],
  ])('is %s', (_, [flooders, others, most], share) => {
    expect(floodShare({ flooders, others, most })).toBe(share);
  });
});
