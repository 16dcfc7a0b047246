import { toTimestamp } from '../protocol/clock.ts';
import type { HiveEvent } from '../protocol/event.ts';
import { messageIdTime } from '../protocol/ids.ts';
import { type Message, renderMessage } from '../protocol/message.ts';
import { decideLetter } from './decide.ts';
import { decideEscalation, noteWait } from './escalate.ts';
import type { BatchInputs, CopyPlace, HeldMessage } from './inputs.ts';
import { draftNotices } from './notices.ts';
import { type Output, outputOfLetter, outputOfNotice } from './output.ts';
import { copyName, type Plan, type PlanContext, type PlannedBatch } from './plan.ts';
import { decideExpiry, decideRedelivery, decideRelease } from './redeliver.ts';
import { reportStrays } from './report-stray.ts';

/**
 * Decides on all inputs of a batch, in their order, and plans what is to be done. The rows stand in the
 * order in which the memory was told, so that it can be told again from the log.
 */
export function planBatch(inputs: BatchInputs, context: PlanContext): PlannedBatch {
  const decisions = inputs.claims.map((claim) => decideLetter(claim, context));
  const outputs: Output[] = decisions.map((decision) => outputOfLetter(decision, context.roster));
  for (const copy of inputs.deferred) {
    if (copy.expired) outputs.push(...decideExpiry(copy, context));
    else outputs.push(decideRedelivery(copy, context));
  }
  for (const held of onceEach(inputs.releases)) outputs.push(decideRelease(held, context));
  for (const found of inputs.escalations) outputs.push(...decideEscalation(found, context));
  for (const draft of draftNotices(decisions, context)) {
    outputs.push(outputOfNotice(draft, context));
  }
  outputs.push(...reportStrays(inputs.strays, context));
  return assemble(outputs, context);
}

/** A person may release what a hold's end releases in the same pass; the person's word counts. */
function onceEach(releases: readonly HeldMessage[]): HeldMessage[] {
  const byPlace = new Map<string, HeldMessage>();
  for (const release of releases) {
    const place = copyName(release.message.id, release.holder, 'held');
    if (release.byPerson || !byPlace.has(place)) byPlace.set(place, release);
  }
  return [...byPlace.values()];
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
    if (output.row !== undefined) addRow(plan, { ...output.row, batch: context.batch }, context);
    for (const { message, place } of output.copies) addCopy({ plan, contents }, message, place);
  }
  return { plan, contents };
}

function addRow(plan: Plan, row: HiveEvent, { memory }: PlanContext): void {
  plan.rows.push(row);
  noteWait(row, memory);
}

function addCopy({ plan, contents }: PlannedBatch, message: Message, place: CopyPlace): void {
  const name = copyName(message.id, message.to, place);
  contents.set(name, renderMessage(message));
  plan.copies.push({ name, id: message.id, to: message.to, place });
}
