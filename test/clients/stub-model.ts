/**
 * A model for tests: an HTTP server on a free port of the loopback interface that real agent clients
 * take for their vendor's API. What it answers is scripted; what it was asked is kept, so that a test
 * can prove what reached the model. It never asks anybody anything itself.
 *
 * It is also the only proxy that a tested client knows of (see `environment.ts`), so that whatever the
 * client wants from the rest of the world ends here, refused and recorded.
 *
 * The wire formats stand in `dialects/`, one file each; the script's view of them in `turn.ts`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { chatCompletions } from './dialects/chat-completions.ts';
import type { Dialect, WireAnswer } from './dialects/dialect.ts';
import { generateContent } from './dialects/generate-content.ts';
import { messages } from './dialects/messages.ts';
import { responses } from './dialects/responses.ts';
import { type Decide, type Decision, followText, resolveReply, type Turn } from './turn.ts';

const DIALECTS: readonly Dialect[] = [responses, chatCompletions, messages, generateContent];

/** A request that a client made, in the order of arrival. */
export interface RecordedRequest {
  method: string;
  /** Path and query. */
  path: string;
  /** The body as JSON; the raw text where it is none. */
  body: unknown;
  /** What the script was shown; nothing for requests that are no turn of a session. */
  turn?: Turn;
  /** What the script decided. */
  decision?: Decision;
  /** Why it could not be answered, as the client was told. */
  problem?: string;
}

/** A running stub model. */
export interface StubModel extends AsyncDisposable {
  /** Base address, without a path. */
  url: string;
  /** All requests to the model so far. */
  requests(): readonly RecordedRequest[];
  /** The turns among them that the script was asked about, in order. */
  turns(): readonly Turn[];
  /** What clients tried to reach besides the model: `host:port` or an absolute address. */
  strays(): readonly string[];
}

/**
 * Starts a stub model.
 * @param decide - plays the model; without it {@link followText} does. Not asked about requests that
 *   offer no tools: those are the client's own side jobs (a title, a summary), answered with a text
 */
export async function startStubModel(decide: Decide = followText): Promise<StubModel> {
  const requests: RecordedRequest[] = [];
  const strays: string[] = [];
  const newId = idCounter();
  const server = createServer((request, response) => {
    const target = request.url ?? '/';
    if (!target.startsWith('/')) {
      strays.push(target);
      sendJson(response, 403, problemBody('The stub model is no way out.'));
      return;
    }
    // `answer` tells every failure to the client and the record, so nothing is left to catch here.
    void answer(request, response, { decide, newId, requests });
  });
  // Nothing stays open between two requests, so that no test leaves a connection behind.
  server.maxRequestsPerSocket = 1;
  server.on('connect', (request, socket) => {
    strays.push(request.url ?? '');
    socket.on('error', () => socket.destroy());
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n', () => socket.destroy());
  });
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    turns: () => requests.flatMap(({ turn }) => (turn ? [turn] : [])),
    strays: () => strays,
    [Symbol.asyncDispose]: () => close(server),
  };
}

interface Session {
  decide: Decide;
  newId: (prefix: string) => string;
  requests: RecordedRequest[];
}

async function answer(request: IncomingMessage, response: ServerResponse, session: Session) {
  const { method = '', url: path = '/' } = request;
  const record: RecordedRequest = { method, path, body: undefined };
  session.requests.push(record);
  try {
    record.body = parseBody(await readBody(request));
    const url = new URL(path, 'http://127.0.0.1');
    const dialect = DIALECTS.find(({ serves }) => method === 'POST' && serves(url.pathname));
    const wire = dialect ? await play(dialect, url, record, session) : sideAnswer(method, url);
    if (!wire) throw new Error(`The stub model does not serve ${method} ${path}.`);
    send(response, wire);
  } catch (error) {
    record.problem = error instanceof Error ? error.message : String(error);
    // Clients try again after 5xx; a wrong script stays wrong, so end the session at once.
    sendJson(response, 400, problemBody(record.problem));
  }
}

async function play(
  dialect: Dialect,
  url: URL,
  record: RecordedRequest,
  { decide, newId }: Session,
): Promise<WireAnswer> {
  const request = dialect.read(record.body, url);
  // As good a title as any, and valid where the client asks for JSON.
  if (request.tools.length === 0) return dialect.write({ text: '{}' }, request, newId);
  record.turn = request.turn;
  record.decision = await decide(request.turn);
  return dialect.write(resolveReply(record.decision, request.tools), request, newId);
}

/** Answers what clients ask besides turns: the list of models, the size of a prompt, a sign of life. */
function sideAnswer(method: string, { pathname }: URL): WireAnswer | undefined {
  if (method === 'HEAD') return { json: {} };
  if (pathname.endsWith('/models')) {
    return { json: { object: 'list', data: [{ id: 'stub-model', object: 'model' }], models: [] } };
  }
  if (pathname.endsWith('/count_tokens')) return { json: { input_tokens: 10 } };
  if (pathname.endsWith(':countTokens')) return { json: { totalTokens: 10 } };
  return undefined;
}

function send(response: ServerResponse, wire: WireAnswer): void {
  if ('json' in wire) {
    sendJson(response, 200, wire.json);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { event, data } of wire.events) {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
  }
  response.end();
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function problemBody(message: string) {
  return { type: 'error', error: { type: 'invalid_request_error', message, code: 400 } };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return bytes;
  if (encoding === 'gzip') return gunzipSync(bytes);
  throw new Error(`The stub model does not read the encoding "${encoding}".`);
}

function parseBody(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function idCounter(): (prefix: string) => string {
  let count = 0;
  return (prefix) => `${prefix}_stub${++count}`;
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => resolve());
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
