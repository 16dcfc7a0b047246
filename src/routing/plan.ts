/**
 * The plan of a batch: every file to be moved, every copy to be published, every row and record, as
 * data. Made in memory from inputs, roster and memory alone; carried out by the spool, also after a
 * crash, by another router, when the roster has long changed.
 */
import type { AgentId } from '../protocol/addresses.ts';
import { toTimestamp } from '../protocol/clock.ts';
import type { HiveEvent } from '../protocol/event.ts';
import { type MessageId, messageIdTime } from '../protocol/ids.ts';
import { type Message, renderMessage } from '../protocol/message.ts';
import type { HistoryRecord } from '../protocol/record.ts';
import { type DecisionContext, decideLetter } from './decide.ts';
import type { BatchInputs, CopyPlace } from './inputs.ts';
import { draftNotices } from './notices.ts';
import { type Output, outputOfLetter, outputOfNotice } from './output.ts';
import { decideExpiry, decideRedelivery, decideRelease } from './redeliver.ts';

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

/** Decides on all inputs of a batch, in their order, and plans what is to be done. */
export function planBatch(inputs: BatchInputs, context: PlanContext): PlannedBatch {
  const decisions = inputs.claims.map((claim) => decideLetter(claim, context));
  const outputs: Output[] = decisions.map((decision) => outputOfLetter(decision, context.roster));
  for (const copy of inputs.deferred) {
    outputs.push(...(copy.expired ? decideExpiry(copy, context) : [decideRedelivery(copy)]));
  }
  for (const held of inputs.releases) outputs.push(decideRelease(held, context));
  for (const draft of draftNotices(decisions, context)) {
    outputs.push(outputOfNotice(draft, context));
  }
  return assemble(outputs, context);
}

function assemble(outputs: readonly Output[], context: PlanContext): PlannedBatch {
  const contents = new Map<string, string>();
  const plan: Plan = {
    version: 1,
    batch: context.batch,
    at: toTimestamp(messageIdTime(context.batch)),
    logSeq: context.logSeq,
    moves: [],
    copies: [],
    rows: [],
    records: [],
  };
  for (const output of outputs) {
    if (output.move !== undefined) plan.moves.push(output.move);
    if (output.record !== undefined) plan.records.push(output.record);
    plan.rows.push({ ...output.row, batch: context.batch });
    for (const { message, place } of output.copies) addCopy({ plan, contents }, message, place);
  }
  return { plan, contents };
}

function addCopy({ plan, contents }: PlannedBatch, message: Message, place: CopyPlace): void {
  const name = copyName(message.id, message.to, place);
  contents.set(name, renderMessage(message));
  plan.copies.push({ name, id: message.id, to: message.to, place });
}
