import type { AgentId } from '../protocol/addresses.ts';
import { escapeLine } from '../protocol/escape.ts';
import type { StrayFile } from './inputs.ts';
import { explainStray } from './notice-text.ts';
import { isAdmitted, type NoticeDraft, silence } from './notices.ts';
import { type Output, outputOfNotice } from './output.ts';
import type { PlanContext } from './plan.ts';

/**
 * Tells the owners of outboxes that something in them is no letter and stays where it is: each in one
 * notice, and bounded like every notice, since these can be answered with another such file.
 */
export function reportStrays(strays: readonly StrayFile[], context: PlanContext): Output[] {
  const byAgent = new Map<AgentId, StrayFile[]>();
  for (const stray of strays) {
    byAgent.set(stray.agent, [...(byAgent.get(stray.agent) ?? []), stray]);
  }
  const drafts = [...byAgent].flatMap(([agent, files]) =>
    isAdmitted(agent, context)
      ? [draftOf(agent, files, context)]
      : silence(agent, context.batch, context),
  );
  return [
    ...strays.map(({ agent, name, kind }): Output => {
      const row = { kind: 'stray' as const, from: agent, to: [name], file: name, code: kind };
      return { copies: [], row };
    }),
    ...drafts.map((draft) => outputOfNotice(draft, context)),
  ];
}

function draftOf(agent: AgentId, files: readonly StrayFile[], { batch }: PlanContext): NoticeDraft {
  const [first] = files as [StrayFile, ...StrayFile[]];
  const what = files.length === 1 ? escapeLine(first.name) : `${files.length} files in outbox/`;
  return {
    to: agent,
    subject: `not sent: ${what}`,
    body: files.map(explainStray).join('\n\n'),
    of: batch,
    isAboutOwnLetter: false,
    code: 'stray',
    file: first.name,
    hops: 1,
  };
}
