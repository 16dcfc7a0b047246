/**
 * Hivemail as a library: make and open a hive, run its router, send and read letters, follow the log.
 * The command line and every other surface are built on this and on nothing else.
 */

export { type CreateOptions, createHive } from './api/create-hive.ts';
export { findAgent, findHive, type Surroundings } from './api/find-hive.ts';
export { type Hive, openHive } from './api/open-hive.ts';
export { isLost, sendResultLines } from './api/outcome-lines.ts';
export {
  type ProvenSession,
  type ProveWakeOptions,
  proveWake,
  type WakeReport,
} from './api/prove-wake.ts';
export type { ToldOfAgent } from './api/read-fleet.ts';
export type { Answer } from './api/reply.ts';
export type { LetterToSend, SendOptions, SendResult } from './api/send.ts';
export type { AgentStatus, HiveStatus, RouterState } from './api/status.ts';
export type { WaitOptions } from './api/wait.ts';
export type { MomentProof, NotTold } from './api/wake-proof.ts';
export { applyFixes, type FixResult } from './doctor/apply-fixes.ts';
export { diagnose } from './doctor/diagnose.ts';
export type { DiagnoseOptions } from './doctor/examination.ts';
export type { Finding, Fix, Level } from './doctor/finding.ts';
export { CLIENT_NAMES, type ClientName, isClientName } from './doorbell/clients.ts';
export type { DoorbellMode } from './doorbell/decide.ts';
export type { ProbeMoment } from './doorbell/probe.ts';
export type { SessionStatus, Untold } from './doorbell/session-status.ts';
export { WAKE_REASONS, type WakeAnswer, type WakeReason } from './doorbell/wake/answer.ts';
export type { InitResult } from './hive/init.ts';
export type { AgentLayout, HiveLayout } from './hive/layout.ts';
export type { InboxEntry } from './hive/mailbox.ts';
export type { RouterOwner } from './hive/owner.ts';
export { randomTail } from './hive/random.ts';
export type { RegistryAgent } from './hive/registry.ts';
export type { AgentFields, RosterChange } from './hive/roster-change.ts';
export { systemClock } from './hive/system-clock.ts';
export { type FormatRowOptions, formatRow } from './log/format-row.ts';
export type { ReadLogOptions } from './log/read-log.ts';
export type { RowFilter } from './log/row-filter.ts';
export { ACTS, type Act, isAct } from './protocol/acts.ts';
export { AGENT_ID, type AgentId, DESK, foldCase } from './protocol/addresses.ts';
export { ageOf } from './protocol/age.ts';
export type { Clock } from './protocol/clock.ts';
export { ERRORS, type ErrorCode, type ErrorMeaning, HivemailError } from './protocol/errors.ts';
export { cutText, escapeLine, escapeUnsafe } from './protocol/escape.ts';
export { EVENT_KINDS, type EventKind, type HiveEvent, type LogRow } from './protocol/event.ts';
export { MESSAGE_ID, type MessageId } from './protocol/ids.ts';
export type { Message, NoticeReference } from './protocol/message.ts';
export { OUTCOME_OF, OUTCOMES, type Outcome, type OutcomeCode } from './protocol/outcomes.ts';
export type { RecordedMessage } from './protocol/record.ts';
export { redactSecrets } from './protocol/redact.ts';
export { exportLine, shellQuote } from './protocol/shell-quote.ts';
export { type Digest, type ShowDigestOptions, showDigest } from './protocol/show-digest.ts';
export { showMessage, showMessageLine } from './protocol/show-message.ts';
export type { ConversationPart } from './replay/conversation.ts';
export type { CopyNow } from './replay/copies-now.ts';
export type {
  OpenConversation,
  OpenConversationsOptions,
  OwedAnswer,
} from './replay/open-conversations.ts';
export type { ReplayIntoOptions, ReplayReport } from './replay/replay-into.ts';
export type { ThreadEntry } from './replay/thread.ts';
export type { TimelineOptions } from './replay/timeline.ts';
export type { Trace } from './replay/trace.ts';
export type { TraceStep, TraceStepKind } from './replay/trace-steps.ts';
export { type RunningRouter, type StartOptions, startRouter } from './router/daemon.ts';
export type { HealthProblem, HealthReport } from './router/health.ts';
export type { OpenRouterOptions } from './router/open-router.ts';
export { type OnceReport, runOnce } from './router/run-once.ts';
export type { Passed, Rates } from './routing/activity.ts';
export type { CopyPlace, HeldMessage } from './routing/inputs.ts';
export type { Obligation } from './routing/obligations.ts';
export { askCodexTrust, type CodexTrust, type TrustQuestion } from './setup/codex-trust.ts';
export type { Owner as SetupOwner } from './setup/hook-command.ts';
export { type InstallReport, installSetup } from './setup/install.ts';
export type { SetupPlace, Target as SetupTarget } from './setup/place.ts';
export type { Scope as SetupScope } from './setup/record.ts';
export { type ShownSetup, showSetups } from './setup/show.ts';
export { type UninstallReport, uninstallSetup } from './setup/uninstall.ts';
export { versionOf } from './setup/version.ts';
export { isLeftBehind, type Leftovers } from './spool/leftovers.ts';
