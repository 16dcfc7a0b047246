/** The speech acts of a letter: three that oblige an answer, four that end an exchange. */
export const ACTS = ['request', 'query', 'propose', 'inform', 'agree', 'refuse', 'done'] as const;

/** One of {@link ACTS}. */
export type Act = (typeof ACTS)[number];

/** Tells whether a value is one of the seven acts, written exactly. */
export function isAct(value: unknown): value is Act {
  return ACTS.includes(value as Act);
}

/** Tells whether an act obliges its recipient to answer. */
export function obliges(act: Act): boolean {
  return act === 'request' || act === 'query' || act === 'propose';
}
