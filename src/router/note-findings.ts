import type { ClaimResult } from '../spool/claim.ts';
import type { FileTrouble, ScanResult } from '../spool/scan.ts';
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
  const report = (key: string, red: boolean, message: string): void => {
    keys.add(key);
    health.report(key, { red, message });
  };
  for (const { agent, problem } of found.broken) {
    const where = layout.agent(agent).outbox;
    const message = `${where} can't be used (${problem}). Make it a directory; ${agent} can't send until then.`;
    report(`outbox/${agent}`, true, message);
  }
  for (const [agent, told] of byAgent([...found.trouble, ...claimed.trouble])) {
    const message = `${told} of ${agent} can't be taken in. It stays in the outbox and is tried again.`;
    report(`outbox/${agent}:files`, true, message);
  }
  for (const [agent, told] of byAgent(unread)) {
    const message = `${told} of ${agent} can't be read. It is kept in ${epoch.claim} and tried again.`;
    report(`outbox/${agent}:claims`, true, message);
  }
  for (const agent of found.overfull) {
    const message = `The outbox of ${agent} holds so many letters that they are taken in no order.`;
    report(`outbox/${agent}:overfull`, false, message);
  }
  health.keepOnly('outbox/', keys);
}

/** Names one file of each agent, and counts the others: a thousand bad files are one problem. */
function byAgent(trouble: readonly FileTrouble[]): Map<string, string> {
  const told = new Map<string, string>();
  for (const { agent, name, code } of trouble) {
    if (told.has(agent)) continue;
    const others = trouble.filter((each) => each.agent === agent).length - 1;
    const rest = others === 0 ? '' : ` and ${others} more`;
    told.set(agent, `The file ${JSON.stringify(name)}${rest} (${code})`);
  }
  return told;
}
