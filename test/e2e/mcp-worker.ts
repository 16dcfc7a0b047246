import type { Decide } from '../clients/turn.ts';

/** Plays a model that knows of its mail only what the tools tell it. */
export const worker: Decide = ({ toolOutputs: all, tools }) => {
  // Clients offer the tools of a server once it has started, and do not wait for that.
  if (!tools.some((name) => name.endsWith('inbox'))) return { shell: 'sleep 1; echo waited' };
  const toolOutputs = all.filter((output) => !output.includes('waited'));
  const id = /[0-9a-z]{12}-[0-9a-z]{8}/.exec(toolOutputs[0] ?? '')?.[0] ?? 'none';
  const steps: ReturnType<Decide>[] = [
    { call: 'inbox', args: {} },
    { call: 'read', args: { id } },
    { call: 'reply', args: { id, act: 'done', body: 'There are 12.' } },
    { call: 'ack', args: { ids: [id] } },
  ];
  return steps[toolOutputs.length] ?? { text: 'All mail is handled.' };
};
