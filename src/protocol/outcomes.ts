/** How a letter can end; every letter ends as exactly one of these. */
export const OUTCOMES = [
  'delivered',
  'partial',
  'bounced',
  'held',
  'refused',
  'quarantined',
] as const;

/** One of {@link OUTCOMES}. */
export type Outcome = (typeof OUTCOMES)[number];

/**
 * Every code a log row of a letter can carry, and the outcome it belongs to. Codes are stable:
 * scripts match on them. docs/format.md lists them with what the sender is told.
 */
export const OUTCOME_OF = {
  delivered: 'delivered',
  filed: 'delivered',
  partial: 'partial',
  'unknown-recipient': 'bounced',
  'ambiguous-recipient': 'bounced',
  'send-only': 'bounced',
  'no-orchestrator': 'bounced',
  'nobody-reached': 'bounced',
  'hop-cap': 'held',
  'loop-window': 'held',
  'on-hold': 'held',
  undeliverable: 'held',
  owed: 'held',
  'reply-to-terminal': 'refused',
  'reply-to-system': 'refused',
  'broadcast-reply': 'refused',
  'to-self': 'refused',
  'no-recipient': 'refused',
  'bad-recipient': 'refused',
  'too-many-recipients': 'refused',
  'bad-act': 'refused',
  'bad-field': 'refused',
  'nothing-said': 'refused',
  'empty-file': 'quarantined',
  'cut-off': 'quarantined',
  'not-json': 'quarantined',
  'not-an-object': 'quarantined',
  'not-text': 'quarantined',
  'too-deep': 'quarantined',
  'too-large': 'quarantined',
  'not-a-file': 'quarantined',
} as const satisfies Record<string, Outcome>;

/** A stable code of {@link OUTCOME_OF}. */
export type OutcomeCode = keyof typeof OUTCOME_OF;

/** A code of a letter that could not be read, or that lacks what a letter needs. */
export type LetterProblemCode = {
  [Code in OutcomeCode]: (typeof OUTCOME_OF)[Code] extends 'refused' | 'quarantined' ? Code : never;
}[OutcomeCode];
