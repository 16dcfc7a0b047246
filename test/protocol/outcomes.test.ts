import { describe, expect, it } from 'vitest';
import { OUTCOME_OF, OUTCOMES } from '../../src/protocol/outcomes.ts';

describe('outcome codes', () => {
  it('belong each to one of the six outcomes, and every outcome has one', () => {
    expect(new Set(Object.values(OUTCOME_OF))).toEqual(new Set(OUTCOMES));
  });
  it('are names that scripts can match on', () => {
    for (const code of Object.keys(OUTCOME_OF)) expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });
  it('are stable: this list only ever grows', () => {
    const codes = Object.entries(OUTCOME_OF).map(([code, outcome]) => `${code}: ${outcome}`);
    expect(codes).toEqual(
      expect.arrayContaining([
        'delivered: delivered',
        'filed: delivered',
        'partial: partial',
        'unknown-recipient: bounced',
        'ambiguous-recipient: bounced',
        'send-only: bounced',
        'no-orchestrator: bounced',
        'hop-cap: held',
        'loop-window: held',
        'on-hold: held',
        'reply-to-terminal: refused',
        'reply-to-system: refused',
        'broadcast-reply: refused',
        'to-self: refused',
        'bad-act: refused',
        'not-an-object: quarantined',
        'too-large: quarantined',
      ]),
    );
  });
});
