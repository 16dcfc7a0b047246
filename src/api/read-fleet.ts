import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { readText } from '../hive/read-text.ts';
import { isJsonObject, type JsonObject } from '../letter/json-object.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';
import type { FleetAgent } from '../router/fleet.ts';
import type { Passed, Rates } from '../routing/activity.ts';

const MOST_BYTES = 16 * 1024 * 1024;

/** What a router told of an agent; fields are missing where it does not know, or none has ever told. */
export type ToldOfAgent = Partial<
  Pick<FleetAgent, 'owes' | 'isOwed' | 'owesSince' | 'lastSeen' | 'lastSent'>
>;

/** What fleet.json tells of a hive. */
export interface ToldOfHive {
  /** ISO 8601, UTC: when it was written. */
  toldAt?: string;
  rates?: Rates;
  of(agent: AgentId): ToldOfAgent;
}

/** Reads fleet.json. What another program has put there counts only as far as it has the same shape. */
export function readFleet(fs: HiveFs, layout: HiveLayout): ToldOfHive {
  const { at, rates, agents } = readObject(fs, layout.fleet);
  return {
    ...(typeof at === 'string' ? { toldAt: at } : {}),
    ...(isRates(rates) ? { rates } : {}),
    of: (agent) => {
      const isKnown = isJsonObject(agents) && Object.hasOwn(agents, agent);
      const told = isKnown ? agents[agent] : undefined;
      return isJsonObject(told) ? pick(told) : {};
    },
  };
}

function readObject(fs: HiveFs, path: string): JsonObject {
  let text: string | undefined;
  try {
    text = readText(fs, path, MOST_BYTES);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
  const value = text === undefined ? undefined : parseStrictly(text)?.value;
  return isJsonObject(value) ? value : {};
}

function pick(told: JsonObject): ToldOfAgent {
  const picked = [
    ...(['owes', 'isOwed'] as const).filter((key) => typeof told[key] === 'number'),
    ...(['owesSince', 'lastSeen', 'lastSent'] as const).filter(
      (key) => typeof told[key] === 'string',
    ),
  ];
  return Object.fromEntries(picked.map((key) => [key, told[key]]));
}

function isRates(value: unknown): value is Rates {
  return isJsonObject(value) && isPassed(value['minute']) && isPassed(value['hour']);
}

function isPassed(value: unknown): value is Passed {
  if (!isJsonObject(value)) return false;
  return typeof value['letters'] === 'number' && typeof value['copies'] === 'number';
}
