import type { AgentId, Hive } from '../index.ts';

/** Whose mail a server serves: given when it starts, never by a client's word. */
export interface Mailbox {
  hive: Hive;
  agent: AgentId;
}
