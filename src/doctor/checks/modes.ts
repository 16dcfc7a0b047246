import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Inventory, type InventoryEntry, takeInventory } from '../../hive/inventory.ts';
import { changeMode } from '../change-mode.ts';
import type { Examination } from '../examination.ts';
import { allWell, count, nameSome, type Observation } from '../finding.ts';

const OTHERS = 0o077;
const MOST_ENTRIES = 50_000;

/** What Hivemail makes, with mode 0600 or 0700. board.md and memory.md are for agents to write. */
const MADE_BY_US = [
  '{hive.json,PROTOCOL.md,registry.json,fleet.json,tasks.json,log.jsonl,log,held,agents,.git}',
  'log/*',
  'held/**',
  'agents/*/{inbox,outbox,identity.md}',
  'agents/*',
  'agents/*/inbox/{.done,*.json}',
  'agents/*/outbox/.sent',
  'agents/*/.doorbell',
  'agents/*/.doorbell/{settings.json,installed,state,events}',
  'agents/*/.doorbell/{state,events}/*',
  '.router/*',
  '.router/{control,history}/*',
  '.router/e*/*',
];

/** Looks at the permissions of the files and directories in the hive. */
export async function checkModes({ layout, machine }: Examination): Promise<Observation[]> {
  const userId = machine.userId();
  if (userId === undefined) return [allWell('Permissions are not looked at on Windows.')];
  const inventory = await takeInventory(layout.root, MADE_BY_US, MOST_ENTRIES);
  const all = inventory.entries.filter(({ stats }) => stats.isFile() || stats.isDirectory());
  const isShut = (statSync(layout.root).mode & OTHERS) === 0;
  const found = [
    ...aboutForeign(all.filter(({ stats }) => stats.uid !== userId)),
    ...aboutClosed(layout.root, all.filter(lacksOwner), userId),
    ...aboutWide(layout.root, all.filter(isWide), { isShut, userId }),
    ...aboutCut(inventory),
  ];
  return found.length > 0 ? found : [allWell('Files and directories are for their owner alone.')];
}

function isWide({ stats }: InventoryEntry): boolean {
  return (stats.mode & OTHERS) !== 0;
}

/** A file that is replaced as a whole need not be writable; the log is appended to. */
function ownersShare({ path, stats }: InventoryEntry): number {
  if (stats.isDirectory()) return 0o700;
  return path === 'log.jsonl' ? 0o600 : 0o400;
}

function lacksOwner(entry: InventoryEntry): boolean {
  const share = ownersShare(entry);
  return (entry.stats.mode & share) !== share;
}

/** Without it a mailbox or the whole hive stands still, and not only one letter. */
function isNeeded({ path, stats }: InventoryEntry): boolean {
  return stats.isDirectory() || !path.includes('/');
}

function aboutForeign(entries: readonly InventoryEntry[]): Observation[] {
  if (entries.length === 0) return [];
  const things = count(entries.length, 'file or directory', 'files and directories');
  return [
    {
      level: 'warning',
      what: `${things} in the hive belong to another user: ${named(entries)}.`,
      means: 'The router may not be able to read, replace or move them.',
      advice: 'Give them to the user who runs the router, with chown.',
    },
  ];
}

function aboutClosed(
  root: string,
  closed: readonly InventoryEntry[],
  userId: number,
): Observation[] {
  if (closed.length === 0) return [];
  return [
    {
      level: closed.some(isNeeded) ? 'error' : 'warning',
      what: `Their owner has no full access to ${named(closed)}.`,
      means:
        'Letters there are not routed, and mail for there is kept back until it can be written to.',
      ...chmodFix(root, closed, userId, {
        says: 'Give their owner access again.',
        modeOf: (entry) => (entry.stats.mode & 0o7777) | ownersShare(entry),
      }),
    },
  ];
}

function aboutWide(
  root: string,
  wide: readonly InventoryEntry[],
  { isShut, userId }: { isShut: boolean; userId: number },
): Observation[] {
  if (wide.length === 0) return [];
  return [
    {
      level: isShut ? 'note' : 'warning',
      what: `${count(wide.length, 'file or directory', 'files and directories')} would let other users in: ${named(wide)}.`,
      means: isShut
        ? 'Nobody gets there as long as the hive’s own directory stays shut.'
        : 'Other users of this machine can read mail, or write it.',
      ...chmodFix(root, wide, userId, {
        says: 'Take the permissions of others away.',
        modeOf: ({ stats }) => stats.mode & 0o700,
      }),
    },
  ];
}

function chmodFix(
  root: string,
  entries: readonly InventoryEntry[],
  userId: number,
  { says, modeOf }: { says: string; modeOf: (entry: InventoryEntry) => number },
): Pick<Observation, 'fix'> {
  const ours = entries.filter(({ stats }) => stats.uid === userId || userId === 0);
  if (ours.length === 0) return {};
  const apply = async (): Promise<void> => {
    for (const { path } of ours) {
      const at = join(root, path);
      // As it is by now: another fix may have changed it, or the router moved it on.
      const stats = lstatSync(at, { throwIfNoEntry: false });
      if (stats !== undefined) changeMode(at, modeOf({ path, stats }));
    }
  };
  return { fix: { says, apply } };
}

function aboutCut({ cut }: Inventory): Observation[] {
  if (!cut) return [];
  return [
    {
      level: 'note',
      what: `There is more in the hive than the ${MOST_ENTRIES} files and directories looked at.`,
    },
  ];
}

function named(entries: readonly InventoryEntry[]): string {
  return nameSome(
    entries.map(
      ({ path, stats }) => `${path} (${(stats.mode & 0o7777).toString(8).padStart(4, '0')})`,
    ),
  );
}
