import type { Outcome } from '../protocol/outcomes.ts';
import type { Claim } from './inputs.ts';

const PREFIX: Record<Outcome, string> = {
  delivered: '',
  partial: '',
  held: '',
  bounced: 'bounced-',
  refused: 'refused-',
  quarantined: 'bad-',
};

/** Names a letter's original in its sender's `outbox/.sent/`. */
export function archiveName({
  claim,
  outcome,
}: {
  claim: Pick<Claim, 'id' | 'file'>;
  outcome: Outcome;
}): string {
  return `${PREFIX[outcome]}${claim.id}.${claim.file}`;
}
