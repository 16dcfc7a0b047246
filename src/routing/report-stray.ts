import type { StrayFile } from './inputs.ts';
import { explainStray } from './notice-text.ts';
import { type Output, outputOfNotice } from './output.ts';
import type { PlanContext } from './plan.ts';

/** Tells the owner of an outbox that something in it is no letter and stays where it is. */
export function reportStray(stray: StrayFile, context: PlanContext): Output[] {
  const { agent, name } = stray;
  const notice = outputOfNotice(
    {
      to: agent,
      subject: `not sent: ${name}`,
      body: explainStray(stray),
      of: context.batch,
      code: 'stray',
      file: name,
      hops: 1,
    },
    context,
  );
  const row = { kind: 'stray' as const, from: agent, to: [name], file: name, code: stray.kind };
  return [notice, { copies: [], row }];
}
