/** Numbers of the routing rules, from hive.json. */
export interface RoutingRules {
  /** Most hops of a delivered message. */
  hopCap: number;
  /** Length of every loop window in milliseconds. */
  windowMs: number;
  /** Turns at hops 0 between the same two or three agents within a window. */
  pairTurns: number;
  /** Turns at hops 0 of one agent within a window, whoever they are with. */
  agentTurns: number;
  /** Copies delivered in one conversation within a window. */
  conversationCopies: number;
  /** Broadcasts of one agent within a window. */
  broadcasts: number;
  /** Notices to one agent with no accepted letter in between. */
  noticesInARow: number;
}
