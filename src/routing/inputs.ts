import type { ParsedLetter } from '../letter/letter.ts';
import type { AgentId } from '../protocol/addresses.ts';
import type { MessageId } from '../protocol/ids.ts';
import type { Message } from '../protocol/message.ts';
import type { KnownMessage } from './memory.ts';

/** A letter that the router has taken out of an outbox and read. */
export interface Claim {
  id: MessageId;
  /** Its file in the epoch's `claim/`: `<id>~<sender>~<file>`. */
  claimName: string;
  /** Owner of the outbox it came from. */
  sender: AgentId;
  /** File name as its sender gave it, cut where too long. */
  file: string;
  parsed: ParsedLetter;
  /** The bytes as read; absent where they were not read (too large, no regular file). */
  original?: Uint8Array;
  /** The letter it replies to as the replier's own mailbox shows it, for when the router forgot it. */
  parentInMailbox?: KnownMessage;
}

/** A copy that could not be published, due again or expired. */
export interface DeferredCopy {
  /** Its file in the epoch's `deferred/`: `<batch>~<id>~<to>~<place>`. */
  name: string;
  message: Message;
  to: AgentId;
  place: CopyPlace;
  expired: boolean;
}

/** A message in `held/` that is to be delivered now. */
export interface HeldMessage {
  /** In whose `held/` directory it lies. */
  holder: AgentId;
  message: Message;
  /** A person released it: it starts afresh at hops 0. Otherwise its hold ended by a change of the roster. */
  byPerson: boolean;
}

/** Something that lies in an outbox and is no letter; its owner is told once. */
export interface StrayFile {
  agent: AgentId;
  name: string;
  kind: 'directory' | 'name' | 'temporary';
}

/** Everything that one batch decides on. */
export interface BatchInputs {
  strays: StrayFile[];
  claims: Claim[];
  deferred: DeferredCopy[];
  releases: HeldMessage[];
  /** Letters for the person that the orchestrator has left, as they were found. */
  escalations: Message[];
}

/** Where a copy is published. */
export type CopyPlace = 'inbox' | 'held';
