/** Identity of an agent for life, and the name of its directory. Shape: {@link AGENT_ID}. */
export type AgentId = string & { readonly __brand: 'AgentId' };

/** Lower-case letters, digits, dot, dash and underscore; 1 to 64 characters; ends and starts alphanumeric. */
export const AGENT_ID = /^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/;

/** The person's desk: a mailbox like any other, and no agent. */
export const DESK = 'human' as AgentId;

/** The sender of notices; has no mailbox. */
export const SYSTEM = 'system';

/** The role that mail to the person goes through. */
export const ORCHESTRATOR = 'orchestrator';

/** The names that reach every agent but the sender. */
export const BROADCAST_NAMES: readonly string[] = ['broadcast', 'all', '*'];

const RESERVED: readonly string[] = [
  ORCHESTRATOR,
  DESK,
  SYSTEM,
  'router',
  'tasks',
  ...BROADCAST_NAMES,
];
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)(\..*)?$/;

const KELVIN_SIGN = '\u212a';

/**
 * Makes a name comparable whatever its case, and whether its accents are composed. No character from
 * beyond ASCII becomes one that an id may have: the Kelvin sign, which Unicode makes a k of in lower case
 * and when it composes, stays as it is.
 */
export function foldCase(name: string): string {
  const parts = name.split(KELVIN_SIGN);
  return parts.map((part) => part.normalize('NFC').toLowerCase()).join(KELVIN_SIGN);
}

/** Why a name can't be an agent id, with what to do; nothing when it can. */
export function agentIdProblem(name: string): string | undefined {
  if (RESERVED.includes(name)) return `"${name}" is reserved; choose another id.`;
  if (WINDOWS_DEVICE.test(name)) return `"${name}" is a device name on Windows; choose another id.`;
  if (!AGENT_ID.test(name)) {
    return `"${name}" is not an agent id: use 1 to 64 of a-z, 0-9, ".", "_" and "-", beginning and ending with a letter or digit.`;
  }
  return undefined;
}

/** Tells whether a name can be that of a mailbox: an agent's id, or the person's desk. */
export function hasMailbox(name: string): name is AgentId {
  return name === DESK || isAgentId(name);
}

/** Tells whether a name can be an agent's id: well formed, not reserved, no device name. */
export function isAgentId(value: unknown): value is AgentId {
  return typeof value === 'string' && agentIdProblem(value) === undefined;
}
