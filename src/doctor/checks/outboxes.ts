import { join } from 'node:path';
import type { AgentId } from '../../protocol/addresses.ts';
import { systemCode } from '../../protocol/errors.ts';
import { type Candidate, OutboxScanner, type ScanResult } from '../../spool/scan.ts';
import { type Examination, inHive } from '../examination.ts';
import { allWell, count, nameSome, type Observation } from '../finding.ts';

const MOST_NAMES = 5000;
/** As many as are listed. */
const LIMITS = { sortedNames: MOST_NAMES, lettersPerSender: MOST_NAMES };

/** Looks what lies in the outboxes that is no letter, or can't be taken. */
export async function checkOutboxes(exam: Examination): Promise<Observation[]> {
  const { fs, layout, clock } = exam;
  const owners = exam.owners.filter((id) => fs.stat(layout.agent(id).outbox)?.kind === 'directory');
  const scan = new OutboxScanner(fs, layout).scan(owners, LIMITS, clock.monotonic());
  const letters = scan.candidates.filter(({ stat }) => stat.kind === 'file');
  const found = [
    ...aboutUnreadable(exam, scan, letters),
    ...aboutOtherKinds(exam, scan.candidates),
    ...aboutStrays(exam, scan),
    ...aboutOverfull(exam, scan.overfull),
  ];
  if (found.length > 0) return found;
  const waiting =
    letters.length === 0 ? 'nothing waits' : `${count(letters.length, 'letter')} to be routed`;
  return [allWell(`Outboxes hold letters and nothing else; ${waiting}.`)];
}

function aboutUnreadable(
  exam: Examination,
  { trouble, broken }: ScanResult,
  letters: readonly Candidate[],
): Observation[] {
  const names = [
    ...letters
      .filter((letter) => !isReadable(exam, pathOf(exam, letter)))
      .map((letter) => nameOf(exam, letter)),
    ...trouble.map((each) => `${nameOf(exam, each)} (${each.code})`),
    ...broken.map(
      ({ agent, problem }) => `${inHive(exam, exam.layout.agent(agent).outbox)} (${problem})`,
    ),
  ];
  if (names.length === 0) return [];
  return [
    {
      level: 'error',
      what: `Can’t be read: ${nameSome(names)}.`,
      means: 'A router run by you can’t route it. It stays where it is, and the others go on.',
      advice: 'Let the user who runs the router read it, with chmod or chown.',
    },
  ];
}

/** Opens it as the router would: access(2) goes by the real user and not by the effective one. */
function isReadable({ fs }: Examination, path: string): boolean {
  try {
    fs.read(path, 0);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    // Gone since: routed.
    return code === 'ENOENT';
  }
}

function aboutOtherKinds(exam: Examination, candidates: readonly Candidate[]): Observation[] {
  const others = candidates.filter(({ stat }) => stat.kind !== 'file');
  if (others.length === 0) return [];
  return [
    {
      level: 'note',
      what: `No file, but called like a letter: ${nameSome(others.map((each) => nameOf(exam, each)))}.`,
      means:
        'It is never followed nor opened; the router sets it aside as `not-a-file` and tells its sender.',
    },
  ];
}

function aboutStrays(exam: Examination, { strays }: ScanResult): Observation[] {
  const left = strays.filter(({ temporary }) => !temporary);
  const temporary = strays.filter((stray) => stray.temporary);
  return [
    ...aboutStray(
      left.map((stray) => nameOf(exam, stray) + (stray.stat.kind === 'directory' ? '/' : '')),
    ),
    ...aboutTemporary(temporary.map((stray) => nameOf(exam, stray))),
  ];
}

function aboutStray(names: readonly string[]): Observation[] {
  if (names.length === 0) return [];
  return [
    {
      level: 'note',
      what: `No letter by its name: ${nameSome(names)}.`,
      means: 'It is not routed. Its owner is told once, and it stays where it is.',
      advice:
        'If it is meant as a letter, give it a name that ends in .json; otherwise move it away.',
    },
  ];
}

function aboutTemporary(names: readonly string[]): Observation[] {
  if (names.length === 0) return [];
  return [
    {
      level: 'note',
      what: `Temporary by its name: ${nameSome(names)}.`,
      means:
        'Its writer may still be at it. It is not routed until it has a name that ends in .json.',
    },
  ];
}

function aboutOverfull(exam: Examination, owners: readonly AgentId[]): Observation[] {
  if (owners.length === 0) return [];
  const names = owners.map((id) => inHive(exam, exam.layout.agent(id).outbox));
  return [
    {
      level: 'note',
      what: `More than ${MOST_NAMES} entries: ${nameSome(names)}.`,
      means: 'Its letters are routed, but not in the order they were written.',
    },
  ];
}

function pathOf(
  { layout }: Examination,
  { agent, name }: { agent: AgentId; name: string },
): string {
  return join(layout.agent(agent).outbox, name);
}

function nameOf(exam: Examination, file: { agent: AgentId; name: string }): string {
  return inHive(exam, pathOf(exam, file));
}
