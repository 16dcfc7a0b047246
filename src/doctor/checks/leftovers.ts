/**
 * Says in plain words what lies in the directories of router starts, and whose mail it is: everything
 * that was accepted and is not finished. What a router that is up has in hand is no leftover.
 */
import { join } from 'node:path';
import { describeLoss, loggedDebt } from '../../log/logged-debt.ts';
import { isMessageId } from '../../protocol/ids.ts';
import { parseClaimName } from '../../spool/claim-name.ts';
import { isEpochName } from '../../spool/epoch.ts';
import { PLAN_FILE } from '../../spool/owed.ts';
import { parseDeferredName } from '../../spool/publish.ts';
import { type Examination, inHive, lastRows, namesIn } from '../examination.ts';
import { allWell, count, nameSome, type Observation } from '../finding.ts';
import { inboxRefusals } from '../read-health.ts';

/** Looks what router starts have left behind. */
export async function checkLeftovers(exam: Examination): Promise<Observation[]> {
  const { fs, layout, router, routerState } = exam;
  const isHeld = routerState === 'running' || routerState === 'elsewhere';
  const epochs = namesIn(fs, layout.router).filter(isEpochName);
  if (epochs.length === 0 && !isHeld) return aboutLostRouter(exam);
  const found = epochs.flatMap((name) => {
    const isAtWork = isHeld && numberOf(name) === router?.epoch;
    const place = placeOf(exam, name);
    return isAtWork ? aboutDeferred(place) : aboutLeft(exam, place);
  });
  return found.length > 0 ? found : [allWell('Nothing accepted is left unfinished.')];
}

function numberOf(name: string): number {
  return Number(/^e(\d+)/.exec(name)?.[1]);
}

interface Place {
  dir: string;
  /** Sender and file of letters taken out of outboxes. */
  claims: string[];
  /** Names in `claim/` that no router gave. */
  strange: string[];
  /** Batches in the making. */
  staged: number;
  /** Committed batches with what they still owe; without a plan nobody knows what. */
  owed: { dir: string; copies: string[]; planned: boolean }[];
  /** Recipients of copies that their inboxes could not take, one entry a copy. */
  deferred: string[];
}

function placeOf(exam: Examination, name: string): Place {
  const { fs, layout } = exam;
  const refusals = inboxRefusals(exam);
  const dir = join(layout.router, name);
  const claims = namesIn(fs, join(dir, 'claim'));
  const owed = namesIn(fs, join(dir, 'owed')).map((batch) => {
    const at = join(dir, 'owed', batch);
    const names = namesIn(fs, at);
    const copies = names.filter((each) => each !== PLAN_FILE).map(copyOf);
    return { dir: at, copies, planned: names.length === 0 || isPlan(fs, join(at, PLAN_FILE)) };
  });
  return {
    dir,
    claims: claims.flatMap((each) => {
      const claim = parseClaimName(each);
      return claim === undefined ? [] : [`${claim.file} of ${claim.sender}`];
    }),
    staged: namesIn(fs, join(dir, 'stage')).length,
    strange: claims.filter((each) => parseClaimName(each) === undefined),
    owed,
    deferred: namesIn(fs, join(dir, 'deferred')).map((each) => {
      const { id, to } = parseDeferredName(each) ?? {};
      if (id === undefined) return each;
      const code = refusals.get(to ?? '');
      return `${id} for ${to}${code === undefined ? '' : `, ${code}`}`;
    }),
  };
}

/** A copy is called `<id>~<to>~<place>`. */
function copyOf(name: string): string {
  const [id, to] = name.split('~');
  return isMessageId(id) && to !== undefined ? `${id} for ${to}` : name;
}

function isPlan(fs: Examination['fs'], path: string): boolean {
  const MOST_PLAN_BYTES = 1024 * 1024 * 1024;
  try {
    const plan: unknown = JSON.parse(
      Buffer.from(fs.read(path, MOST_PLAN_BYTES).bytes).toString('utf8'),
    );
    return typeof plan === 'object' && plan !== null && 'version' in plan && plan.version === 1;
  } catch {
    // Whatever it is that keeps us from reading it keeps the router from it too.
    return false;
  }
}

function aboutLeft(exam: Examination, place: Place): Observation[] {
  const mail = describeMail(place);
  const name = inHive(exam, place.dir);
  const left: Observation =
    mail.length === 0
      ? {
          level: 'note',
          what: `${name} is left of a router that did not stop cleanly; no mail lies in it.`,
          means: 'The next router clears it away.',
        }
      : {
          level: 'warning',
          what: `${name} holds ${mail.join('; ')}.`,
          means:
            'This is accepted mail. Nothing of it is lost, as long as .router/ is not deleted.',
          advice:
            'Start a router with `hivemail up`: it brings all of it to its end, each letter once.',
        };
  return [left, ...aboutBadPlans(exam, place), ...aboutStrange(exam, place.dir, place.strange)];
}

/** What a batch in the making holds is in the claims as well; it is told for those who look and wonder. */
function describeMail({ claims, staged, owed, deferred }: Place): string[] {
  const copies = owed.flatMap((batch) => batch.copies);
  const parts: [number, string, readonly string[]][] = [
    [claims.length, `${count(claims.length, 'letter')} taken out of an outbox`, claims],
    [owed.length, `${count(owed.length, 'batch', 'batches')} decided on and not finished`, []],
    [copies.length, `${count(copies.length, 'copy', 'copies')} to deliver`, copies],
    [
      deferred.length,
      `${count(deferred.length, 'copy', 'copies')} that an inbox could not take`,
      deferred,
    ],
    [staged, `${count(staged, 'batch', 'batches')} in the making, to be decided on anew`, []],
  ];
  return parts
    .filter(([number]) => number > 0)
    .map(([, what, names]) => (names.length === 0 ? what : `${what} (${nameSome(names)})`));
}

function aboutBadPlans(exam: Examination, { owed }: Place): Observation[] {
  return owed
    .filter(({ planned }) => !planned)
    .map(({ dir, copies }) => ({
      level: 'error',
      what: `${inHive(exam, dir)} has no plan that can be read.`,
      means: `Nobody knows which letters it has decided on, so the router decides on none. It holds ${copies.length === 0 ? 'no copy' : nameSome(copies)}.`,
      advice:
        'Put its plan.json right, or move the whole directory out of the hive and keep it; each copy in it is a message and can be put into its inbox as <id>.json.',
    }));
}

function aboutStrange(exam: Examination, dir: string, names: readonly string[]): Observation[] {
  if (names.length === 0) return [];
  return [
    {
      level: 'warning',
      what: `No router put this into ${inHive(exam, join(dir, 'claim'))}: ${nameSome(names)}.`,
      means: 'It is never routed.',
      advice: 'If it is a letter, move it into its sender’s outbox.',
    },
  ];
}

function aboutDeferred({ deferred }: Place): Observation[] {
  if (deferred.length === 0) return [];
  return [
    {
      level: 'warning',
      what: `${count(deferred.length, 'copy', 'copies')} that an inbox could not take: ${nameSome(deferred)}.`,
      means:
        'The router keeps them and tries again, at least every minute; after a week they go to held/.',
      advice: 'Look at those inboxes: permissions, disk, or something else in their place.',
    },
  ];
}

/** Without the directory of the last start, the log alone can tell what lay there. */
function aboutLostRouter(exam: Examination): Observation[] {
  const debt = loggedDebt(lastRows(exam));
  const what = describeLoss(debt);
  if (what === undefined) return [allWell('Nothing accepted is left unfinished.')];
  const { died, owed } = debt;
  const taken = 'Letters it had taken out of an outbox and not finished may be lost';
  const means = [
    ...(died ? [`${taken}; those in .sent/ and in the log are not.`] : []),
    ...(owed.length > 0 ? ['What it still owed does not reach its inbox any more.'] : []),
  ];
  const advice = [
    'Restore .router/ from a backup.',
    ...(died ? ['Or ask the agents to send again what got no outcome in `hivemail log`.'] : []),
    ...(owed.length > 0
      ? ['What was owed is in the history: `git log -p --grep ID` in the hive shows it.']
      : []),
  ];
  return [
    {
      level: 'warning',
      what,
      means: means.join(' '),
      advice: advice.join(' '),
    },
  ];
}
