import { toTimestamp } from '../protocol/clock.ts';
import { messageIdTime } from '../protocol/ids.ts';
import { type Message, renderMessage } from '../protocol/message.ts';
import { decideLetter } from './decide.ts';
import type { BatchInputs, CopyPlace } from './inputs.ts';
import { draftNotices } from './notices.ts';
import { type Output, outputOfLetter, outputOfNotice } from './output.ts';
import { copyName, type Plan, type PlanContext, type PlannedBatch } from './plan.ts';
import { decideExpiry, decideRedelivery, decideRelease } from './redeliver.ts';
import { reportStray } from './report-stray.ts';

/** Decides on all inputs of a batch, in their order, and plans what is to be done. */
export function planBatch(inputs: BatchInputs, context: PlanContext): PlannedBatch {
  const decisions = inputs.claims.map((claim) => decideLetter(claim, context));
  const outputs: Output[] = decisions.map((decision) => outputOfLetter(decision, context.roster));
  for (const copy of inputs.deferred) {
    outputs.push(...(copy.expired ? decideExpiry(copy, context) : [decideRedelivery(copy)]));
  }
  for (const held of inputs.releases) outputs.push(decideRelease(held, context));
  for (const stray of inputs.strays) outputs.push(...reportStray(stray, context));
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
    if (output.row !== undefined) plan.rows.push({ ...output.row, batch: context.batch });
    for (const { message, place } of output.copies) addCopy({ plan, contents }, message, place);
  }
  return { plan, contents };
}

function addCopy({ plan, contents }: PlannedBatch, message: Message, place: CopyPlace): void {
  const name = copyName(message.id, message.to, place);
  contents.set(name, renderMessage(message));
  plan.copies.push({ name, id: message.id, to: message.to, place });
}
