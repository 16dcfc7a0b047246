/**
 * Hivemail inside opencode: tells the hook what happens in a session, and does what it asks for.
 * The file that `hooks install opencode` writes loads this module; opencode runs it in its own process.
 *
 * What must hold: nothing here throws into the client, or keeps it waiting for long; the hook decides,
 * this only carries. Hooks are called one after the other, in the order of the events. One waiter wakes
 * an idle session, and ends with the client. What a subagent does concerns the doorbell only where a
 * person has to decide something.
 */
import { type Asked, type HookProgram, type RunningHook, startHook } from './hook-process.ts';
import { keepSessions, type OpencodeInput, type Session, type Voice } from './session.ts';

/** Whose hook is called, and how. */
export type OpencodeHookCommand = Omit<HookProgram, 'cwd'>;

/** An event of opencode's bus. */
export interface BusEvent {
  type: string;
  properties: Record<string, unknown>;
}

/** What opencode calls, by its own names. */
export interface OpencodeHooks {
  event(input: { event: BusEvent }): Promise<void>;
  'chat.message'(input: { sessionID: string; variant?: string }, output: Prompted): Promise<void>;
  'tool.execute.after'(input: { sessionID: string; tool: string }, output: unknown): Promise<void>;
  dispose(): Promise<void>;
}

/** A prompt on its way to the model. */
interface Prompted {
  message: Voice & { id: string };
  parts: { id: string; type: string; [field: string]: unknown }[];
}

/** So long the client waits for a hook at most, in milliseconds; a busy machine starts Node slowly. */
const HOOK_LIMIT_MS = 10_000;

/** After a hook that took too long none is called for so long, in milliseconds. */
const REST_MS = 60_000;

const DIALOG = /^(?:permission|question)\.(asked|replied|rejected)$/;

/**
 * Connects a client to the doorbell.
 * @param input - what opencode gives to its plugins
 */
export function connectOpencode(input: OpencodeInput, command: OpencodeHookCommand): OpencodeHooks {
  const connection = new Connection(input, { ...command, cwd: input.directory });
  return {
    event: ({ event }) => connection.inTurn(() => connection.onEvent(event)),
    'chat.message': (asked, output) =>
      connection.inTurn(() => connection.onPrompt(asked.sessionID, asked.variant, output)),
    'tool.execute.after': ({ sessionID, tool }, output) =>
      connection.inTurn(() => connection.onTool(sessionID, tool, output)),
    dispose: async () => connection.end(),
  };
}

class Connection {
  readonly #input: OpencodeInput;
  readonly #program: HookProgram;
  readonly #sessions: ReturnType<typeof keepSessions>;
  readonly #waiters = new Map<string, RunningHook>();
  /** Ids of what a person has to decide, by session. */
  readonly #dialogs = new Map<string, Set<string>>();
  /** How the turn failed that is about to end, by session. */
  readonly #failures = new Map<string, string>();
  #last: Promise<void> = Promise.resolve();
  #restsUntil = 0;
  #hasEnded = false;

  constructor(input: OpencodeInput, program: HookProgram) {
    this.#input = input;
    this.#program = program;
    this.#sessions = keepSessions(input);
  }

  /** Does something when all before it is done. Whatever goes wrong is no concern of the session. */
  inTurn(task: () => Promise<void>): Promise<void> {
    const done = this.#last.then(async () => {
      if (!this.#hasEnded) await task();
    });
    this.#last = done.catch(() => {});
    return this.#last;
  }

  end(): void {
    this.#hasEnded = true;
    for (const waiter of this.#waiters.values()) waiter.end();
  }

  async onPrompt(id: string, variant: string | undefined, output: Prompted): Promise<void> {
    const session = await this.#meet(id);
    if (session?.root !== id) return;
    const { agent, model } = output.message;
    session.voice = { agent, model, variant };
    const { append } = await this.#call('chat.message', session);
    const last = output.parts.at(-1);
    if (append === undefined || last === undefined) return;
    // Parts are ordered by their ids; a synthetic one is the model's to read, not the person's words.
    output.parts.push({
      ...{ id: `${last.id}h`, sessionID: id, messageID: output.message.id },
      ...{ type: 'text', text: append, synthetic: true },
    });
  }

  async onTool(id: string, tool: string, output: unknown): Promise<void> {
    const session = await this.#meet(id);
    if (session?.root !== id) return;
    const { append } = await this.#call('tool.execute.after', session, { tool_name: tool });
    if (append !== undefined) appendTo(output, append);
  }

  async onEvent({ type, properties }: BusEvent): Promise<void> {
    const id = sessionIn(properties);
    if (id === undefined) return;
    if (DIALOG.test(type)) return await this.#onDialog(type, id, properties);
    switch (type) {
      case 'session.created':
        await this.#meet(id);
        break;
      case 'session.compacted':
        await this.#callIfMain(type, id);
        break;
      case 'session.error':
        this.#failures.set(id, failureIn(properties));
        break;
      case 'session.idle':
        await this.#onIdle(id);
        break;
      case 'session.deleted':
        await this.#onDeleted(id);
        break;
    }
  }

  /** A turn has ended. Who stops a turn wants the word: nothing starts another one then. */
  async #onIdle(id: string): Promise<void> {
    const failure = this.#failures.get(id);
    this.#failures.delete(id);
    this.#dialogs.delete(id);
    const session = await this.#meet(id);
    if (session?.root !== id) return;
    const { prompt } = await this.#call('session.idle', session, { failed: failure !== undefined });
    if (failure === 'MessageAbortedError') this.#waiters.get(id)?.end();
    else if (prompt === undefined) this.#startWaiter(session);
    else void this.#startTurn(session, prompt);
  }

  async #onDeleted(id: string): Promise<void> {
    this.#waiters.get(id)?.end();
    this.#dialogs.delete(id);
    if (this.#sessions.has(id)) await this.#callIfMain('session.deleted', id);
    this.#sessions.forget(id);
  }

  async #onDialog(type: string, id: string, properties: Record<string, unknown>): Promise<void> {
    const session = await this.#meet(id);
    if (session === undefined) return;
    const { root } = session;
    const open = this.#dialogs.get(root) ?? new Set();
    this.#dialogs.set(root, open);
    const asks = type.endsWith('.asked');
    const before = open.size;
    if (asks) open.add(String(properties['id']));
    else open.delete(String(properties['requestID'] ?? properties['permissionID']));
    // Several may be open at once: the first opens what the last one closes.
    if (asks ? before > 0 : open.size > 0) return;
    const { permission } = properties;
    const payload = typeof permission === 'string' ? { tool_name: permission } : {};
    await this.#call(type, { ...session, id: root }, payload);
  }

  async #callIfMain(event: string, id: string): Promise<void> {
    const session = await this.#meet(id);
    if (session?.root === id) await this.#call(event, session);
  }

  /** Finds a session; one that this process has not seen before has just begun, or been resumed. */
  async #meet(id: string): Promise<Session | undefined> {
    const isNew = !this.#sessions.has(id);
    const session = await this.#sessions.find(id);
    if (!isNew || session?.root !== id) return session;
    await this.#call('session.created', session);
    this.#startWaiter(session);
    return session;
  }

  async #call(event: string, session: Session, fields: object = {}): Promise<Asked> {
    if (performance.now() < this.#restsUntil) return {};
    const payload = { ...this.#payload(session), ...fields };
    const hook = startHook(this.#program, [event], {
      payload,
      limitMs: HOOK_LIMIT_MS,
    });
    const asked = await hook.asked;
    if (hook.tookTooLong()) this.#restsUntil = performance.now() + REST_MS;
    return asked;
  }

  #payload({ id }: Session): object {
    return { session_id: id, cwd: this.#input.directory };
  }

  #startWaiter(session: Session): void {
    const { id } = session;
    if (this.#waiters.has(id) || this.#hasEnded) return;
    const payload = this.#payload(session);
    const waiter = startHook(this.#program, ['session.idle', '--wake'], { payload });
    this.#waiters.set(id, waiter);
    void this.#awaitWaiter(session, waiter);
  }

  async #awaitWaiter(session: Session, waiter: RunningHook): Promise<void> {
    const { prompt } = await waiter.asked;
    this.#waiters.delete(session.id);
    if (prompt !== undefined && !this.#hasEnded) await this.#startTurn(session, prompt);
  }

  /** Not in turn: opencode tells of the prompt, and waits for that, before it says that it has it. */
  async #startTurn(session: Session, text: string): Promise<void> {
    const { id, voice } = session;
    const body = { ...voice, parts: [{ type: 'text' as const, text }] };
    const isStarted = await this.#input.client.session.promptAsync({ path: { id }, body }).then(
      ({ error }) => error === undefined,
      () => false,
    );
    if (!isStarted) await this.inTurn(() => this.#takeBack(session));
  }

  /** The turn that was to begin did not: the session is idle after all. */
  async #takeBack(session: Session): Promise<void> {
    await this.#call('session.idle', session, { failed: true });
    this.#startWaiter(session);
  }
}

function sessionIn({ sessionID, info }: Record<string, unknown>): string | undefined {
  if (typeof sessionID === 'string') return sessionID;
  const id = typeof info === 'object' && info !== null && 'id' in info ? info.id : undefined;
  return typeof id === 'string' ? id : undefined;
}

function failureIn({ error }: Record<string, unknown>): string {
  const isNamed = typeof error === 'object' && error !== null && 'name' in error;
  return isNamed ? String(error.name) : 'unknown';
}

/** A tool of opencode's own puts out a text, one of an MCP server a list of parts. */
function appendTo(output: unknown, text: string): void {
  if (typeof output !== 'object' || output === null) return;
  if ('output' in output && typeof output.output === 'string') {
    output.output = `${output.output}\n\n${text}`;
  } else if ('content' in output && Array.isArray(output.content)) {
    output.content.push({ type: 'text', text });
  }
}
