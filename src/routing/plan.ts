/**
 * The plan of a batch: every file to be moved, every copy to be published, every row and record, as
 * data. Made in memory from inputs, roster and memory alone; carried out by the spool, also after a
 * crash, by another router, when the roster has long changed.
 */
import type { AgentId } from '../protocol/addresses.ts';
import type { HiveEvent } from '../protocol/event.ts';
import type { MessageId } from '../protocol/ids.ts';
import type { HistoryRecord } from '../protocol/record.ts';
import type { DecisionContext } from './decide.ts';
import type { CopyPlace } from './inputs.ts';

/** A file of an input that is done with once the batch is committed. */
export type Move =
  | {
      /** A claim goes to its sender's `.sent/`. */
      from: 'claim';
      name: string;
      agent: AgentId;
      as: string;
    }
  | {
      /** A deferred copy that this batch publishes anew is removed. */
      from: 'deferred';
      name: string;
    }
  | {
      /** A held message that this batch delivers is removed. */
      from: 'held';
      holder: AgentId;
      id: string;
    };

/** A copy that the batch owes. */
export interface Copy {
  /** Its file in the batch's directory: `<id>~<to>~<place>`. */
  name: string;
  id: string;
  to: AgentId;
  place: CopyPlace;
}

/** A batch as it stands in its directory, in the queue of the history, and in protocol and docs. */
export interface Plan {
  version: 1;
  batch: MessageId;
  /** ISO 8601, UTC: when it was decided. */
  at: string;
  /** Greatest sequence number of the log when it was decided: its rows can only stand after that. */
  logSeq: number;
  moves: Move[];
  copies: Copy[];
  rows: HiveEvent[];
  records: HistoryRecord[];
}

/** A plan, and the content of each copy by its name. */
export interface PlannedBatch {
  plan: Plan;
  contents: Map<string, string>;
}

/** What a batch is planned with, besides its inputs. */
export interface PlanContext extends DecisionContext {
  batch: MessageId;
  nextId: () => MessageId;
  logSeq: number;
}

/** Names the file of a copy in its batch's directory. */
export function copyName(id: string, to: AgentId, place: CopyPlace): string {
  return `${id}~${to}~${place}`;
}
