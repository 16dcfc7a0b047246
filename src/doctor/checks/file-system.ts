/** What the file system under a hive guarantees; docs/operations.md has the table. */
import { join } from 'node:path';
import { type Examination, inHive, namesIn } from '../examination.ts';
import { allWell, nameSome, type Observation } from '../finding.ts';

type Kind = 'local' | 'network' | 'memory' | 'fuse' | 'shared' | 'layered' | 'foreign';

/** Magic numbers of Linux (statfs(2), linux/magic.h). */
const TYPES: ReadonlyMap<number, readonly [name: string, kind: Kind]> = new Map([
  [0xef53, ['ext4', 'local']],
  [0x58465342, ['xfs', 'local']],
  [0x9123683e, ['btrfs', 'local']],
  [0x2fc12fc1, ['zfs', 'local']],
  [0xf2f52010, ['f2fs', 'local']],
  [0x6969, ['NFS', 'network']],
  [0xff534d42, ['CIFS', 'network']],
  [0xfe534d42, ['SMB', 'network']],
  [0x517b, ['SMB', 'network']],
  [0x00c36400, ['Ceph', 'network']],
  [0x5346414f, ['AFS', 'network']],
  [0x0bd00bd0, ['Lustre', 'network']],
  [0x65735546, ['FUSE', 'fuse']],
  [0x01021997, ['9p', 'shared']],
  [0x786f4256, ['vboxsf', 'shared']],
  [0x01021994, ['tmpfs', 'memory']],
  [0x858458f6, ['ramfs', 'memory']],
  [0x794c7630, ['overlay', 'layered']],
  [0x4d44, ['FAT', 'foreign']],
  [0x2011bab0, ['exFAT', 'foreign']],
  [0x5346544e, ['NTFS', 'foreign']],
  [0x7366746e, ['NTFS', 'foreign']],
]);

const MEANING: Readonly<Record<Exclude<Kind, 'local'>, Omit<Observation, 'what'>>> = {
  network: {
    level: 'warning',
    means:
      'Not tested. Agents on other machines can’t wake the router, so the poll finds their mail; the lock holds within one machine; a rename that is reported as failed may have happened.',
    advice: 'Keep the hive on a local disk, and run one router at one place.',
  },
  fuse: {
    level: 'warning',
    means:
      'Not tested. Whether a sync reaches the disk and a rename is whole depends on the program behind it.',
    advice: 'Keep the hive on a local disk.',
  },
  shared: {
    level: 'warning',
    means:
      'Not tested. Changes made on the other side may not wake the router; the poll finds them.',
    advice:
      'Keep the hive inside the machine that runs the router, as in WSL under /home and not under /mnt.',
  },
  memory: {
    level: 'warning',
    means: 'The hive is gone when the machine, or the container, stops. Until then all holds.',
    advice: 'Keep the hive on a disk, unless it is one to throw away.',
  },
  layered: {
    level: 'note',
    means:
      'Most often a container’s own files: all holds, but the hive is gone with the container.',
    advice: 'Keep the hive on a volume.',
  },
  foreign: {
    level: 'warning',
    means: 'Not tested. It has no permissions of its own, and may tell no upper from lower case.',
    advice: 'Keep the hive on a file system made for this system.',
  },
};

/** Looks what kind of file system the hive lies on. */
export async function checkFileSystem(exam: Examination): Promise<Observation[]> {
  const { machine, layout } = exam;
  const { type } = machine.fileSystem(layout.root);
  const known = machine.platform === 'linux' ? TYPES.get(type) : undefined;
  const [name, kind] = known ?? [undefined, 'local'];
  const found: Observation[] =
    kind === 'local' ? [] : [{ what: `The hive lies on ${name}.`, ...MEANING[kind] }];
  found.push(...aboutCase(exam));
  if (found.length > 0) return found;
  if (name !== undefined) return [allWell(`The hive lies on ${name}.`)];
  const which = machine.platform === 'linux' ? ` (type 0x${type.toString(16)})` : '';
  return [allWell(`What kind of file system this is, is not known here${which}.`)];
}

/** Tells without writing: a file found under another case is the same file. */
function aboutCase({ fs, layout }: Examination): Observation[] {
  const pairs = ['hive.json', 'registry.json'].map((name) => [name, name.toUpperCase()]);
  const isOne = pairs.some(([name = '', upper = '']) => {
    const stat = fs.stat(join(layout.root, name));
    return stat !== undefined && fs.stat(join(layout.root, upper))?.inode === stat.inode;
  });
  if (!isOne) return [];
  return [
    {
      level: 'note',
      what: 'The file system tells no upper from lower case.',
      means:
        'Ids are lower case, so nothing is mixed up; but a letter A.json replaces a letter a.json in an outbox.',
    },
  ];
}

/** Looks whether all of the hive lies on one file system: mail moves by rename, which can’t leave it. */
export async function checkDevices(exam: Examination): Promise<Observation[]> {
  const { fs, layout } = exam;
  const home = fs.stat(layout.root)?.device;
  const dirs = [layout.router, layout.agents, layout.held, ...mailDirectories(exam)];
  const apart = dirs.filter((dir) => {
    const stat = fs.stat(dir);
    return stat?.kind === 'directory' && stat.device !== home;
  });
  const mounted = mountPoints(exam).filter((path) => !apart.some((dir) => path.startsWith(dir)));
  const names = [...apart, ...mounted].map((dir) => inHive(exam, dir));
  if (names.length === 0) return [allWell('All of the hive lies on one file system.')];
  return [
    {
      level: 'error',
      what: `On a file system of its own: ${nameSome(names)}.`,
      means:
        'Mail moves by rename, and none goes from one file system, or one mount, to another: mail there is kept back, or no router starts.',
      advice: 'Put all of the hive on one file system, and mount nothing inside it.',
    },
  ];
}

function mailDirectories({ layout, fs, owners }: Examination): string[] {
  const boxes = owners.flatMap((id) => {
    const { root, inbox, outbox, sent } = layout.agent(id);
    return [root, inbox, outbox, sent];
  });
  return [...boxes, ...namesIn(fs, layout.held).map((name) => join(layout.held, name))];
}

/** Mount points inside the hive, which a device number does not always tell: a bind mount keeps it. */
function mountPoints({ machine, layout }: Examination): string[] {
  const table = machine.systemText('/proc/self/mountinfo') ?? '';
  return table
    .split('\n')
    .map((line) => unescapeOctal(line.split(' ')[4] ?? ''))
    .filter((path) => path.startsWith(`${layout.root}/`));
}

function unescapeOctal(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
