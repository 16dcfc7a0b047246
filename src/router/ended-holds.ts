import { join } from 'node:path';
import { type AgentId, isAgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import { parseMessage } from '../protocol/message.ts';
import type { HeldMessage } from '../routing/inputs.ts';
import type { Router } from './router.ts';

const MOST_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Messages released in one pass; more follow in the next. */
const MOST_RELEASES = 500;

/** Lists everything in `held/`, for one holder or all. Unreadable entries are passed over. */
export function listHeld(
  { fs, layout }: Pick<Router, 'fs' | 'layout'>,
  only?: AgentId,
): HeldMessage[] {
  const holders = only === undefined ? listNames(fs, layout.held).filter(isAgentIdOrDesk) : [only];
  return holders.flatMap((holder) =>
    listNames(fs, layout.heldFor(holder))
      .filter((name) => name.endsWith('.json'))
      .sort()
      .flatMap((name) => readHeld(fs, join(layout.heldFor(holder), name), holder)),
  );
}

/**
 * Collects the messages that waited for a hold on their recipient, once that hold is over. Looks only
 * after a change of the roster, and at start.
 */
export function endedHolds(router: Router): HeldMessage[] {
  const { census } = router;
  if (!router.recheckHeld || census === undefined) return [];
  const free = [...census.roster.agents.values()].filter(({ onHold }) => !onHold);
  const ended = free
    .flatMap(({ id }) => listHeld(router, id))
    .filter(({ message }) => message.held?.code === 'on-hold');
  // Looked at once more after these are gone, so that a failed commit forgets none.
  router.recheckHeld = ended.length > 0;
  return ended.slice(0, MOST_RELEASES);
}

function isAgentIdOrDesk(name: string): name is AgentId {
  return name === 'human' || isAgentId(name);
}

function listNames(fs: Router['fs'], dir: string): string[] {
  try {
    return fs.list(dir);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}

function readHeld(fs: Router['fs'], path: string, holder: AgentId): HeldMessage[] {
  try {
    const { bytes } = fs.read(path, MOST_MESSAGE_BYTES);
    const message = parseMessage(Buffer.from(bytes).toString('utf8'));
    return message === undefined ? [] : [{ holder, message, byPerson: false }];
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}
