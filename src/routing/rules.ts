/** Numbers of the routing rules, from hive.json. */
export interface RoutingRules {
  /** Most hops of a delivered message. */
  hopCap: number;
  /** Length of every loop window in milliseconds. */
  windowMs: number;
  /** Turns that hops don't bound, between the same two or three agents within a window. */
  pairTurns: number;
  /** Turns of one agent that hops don't bound, to others than who had written to it, within a window. */
  agentTurns: number;
  /** Copies delivered in one conversation within a window. */
  conversationCopies: number;
  /** Broadcasts of one agent within a window. */
  broadcasts: number;
  /** Notices to one agent with no accepted letter in between. */
  noticesInARow: number;
}
