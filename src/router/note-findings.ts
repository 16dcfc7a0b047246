import type { ClaimResult } from '../spool/claim.ts';
import type { ScanResult } from '../spool/scan.ts';
import type { Router } from './router.ts';

/** Turns what stood in the way of scanning and claiming into health, and ends what no longer does. */
export function noteFindings(
  { found, claimed }: { found: ScanResult; claimed: ClaimResult },
  { health, layout }: Router,
): void {
  const keys = new Set<string>();
  for (const { agent, problem } of found.broken) {
    const key = `outbox/${agent}`;
    keys.add(key);
    const message = `${layout.agent(agent).outbox} can't be used (${problem}). Make it a directory; ${agent} can't send until then.`;
    health.report(key, { red: true, message });
  }
  for (const { agent, name, code } of claimed.trouble) {
    const key = `outbox/${agent}/${name}`;
    keys.add(key);
    const message = `The letter ${name} of ${agent} can't be taken in (${code}). It stays in the outbox and is tried again.`;
    health.report(key, { red: true, message });
  }
  for (const agent of found.overfull) {
    const key = `outbox/${agent}:overfull`;
    keys.add(key);
    const message = `The outbox of ${agent} holds so many letters that they are taken in no order.`;
    health.report(key, { red: false, message });
  }
  health.keepOnly('outbox/', keys);
}
