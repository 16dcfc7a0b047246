import type { ClaimResult } from '../spool/claim.ts';
import type { FileTrouble, ScanResult } from '../spool/scan.ts';
import type { ReportedProblem } from './health.ts';
import type { Router } from './router.ts';

/** What stood in the way of scanning, claiming and reading. */
export interface Findings {
  found: ScanResult;
  claimed: ClaimResult;
  /** Claims that can't be read. */
  unread: readonly FileTrouble[];
}

/** Turns what stood in the way into health, and ends what no longer does. */
export function noteFindings(
  { found, claimed, unread }: Findings,
  { health, layout, epoch }: Router,
): void {
  const keys = new Set<string>();
  const report = (key: string, problem: ReportedProblem): void => {
    keys.add(key);
    health.report(key, problem);
  };
  for (const { agent, problem } of found.broken) {
    const where = layout.agent(agent).outbox;
    const message = `${where} can't be used (${problem}). Make it a directory; ${agent} can't send until then.`;
    report(`outbox/${agent}`, { red: true, message });
  }
  for (const [agent, { told, code }] of byAgent([...found.trouble, ...claimed.trouble])) {
    const message = `${told} of ${agent} can't be taken in. It stays in the outbox and is tried again.`;
    report(`outbox/${agent}:files`, { red: true, message, code });
  }
  for (const [agent, { told, code }] of byAgent(unread)) {
    const message = `${told} of ${agent} can't be read. It is kept in ${epoch.claim} and tried again.`;
    report(`outbox/${agent}:claims`, { red: true, message, code });
  }
  for (const agent of found.overfull) {
    const message = `The outbox of ${agent} holds so many letters that they are taken in no order.`;
    report(`outbox/${agent}:overfull`, { red: false, message });
  }
  health.keepOnly('outbox/', keys);
}

/** Names one file of each agent, and counts the others: a thousand bad files are one problem. */
function byAgent(trouble: readonly FileTrouble[]): Map<string, { told: string; code: string }> {
  const told = new Map<string, { told: string; code: string }>();
  for (const { agent, name, code } of trouble) {
    if (told.has(agent)) continue;
    const others = trouble.filter((each) => each.agent === agent).length - 1;
    const rest = others === 0 ? '' : ` and ${others} more`;
    told.set(agent, { told: `The file ${JSON.stringify(name)}${rest} (${code})`, code });
  }
  return told;
}
