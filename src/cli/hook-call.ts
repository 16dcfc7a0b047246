import type { Payload } from '../doorbell/clients/client.ts';
import { type ClientName, isClientName } from '../doorbell/clients.ts';

/** How a hook was called. */
export interface HookArguments {
  client: ClientName;
  event: string;
  hive: string | undefined;
  agent: string | undefined;
  /** Tell on standard error why. */
  explain: boolean;
  /** Stay, and wake the idle session when mail comes. */
  wake: boolean;
}

/**
 * Reads the words behind `hivemail hook`. Options it does not know are passed over: the command that was
 * installed into a client's settings outlives versions.
 * @returns nothing when no client and event are named
 */
export function readHookArguments(words: readonly string[]): HookArguments | undefined {
  const [client, event] = words;
  if (!isClientName(client) || event === undefined || event.startsWith('-')) return undefined;
  return {
    client,
    event,
    hive: valueOf(words, '--hive'),
    agent: valueOf(words, '--agent'),
    explain: words.includes('--explain'),
    wake: words.includes('--wake'),
  };
}

function valueOf(words: readonly string[], option: string): string | undefined {
  const at = words.indexOf(option);
  return at === -1 ? undefined : words[at + 1];
}

const MOST_PAYLOAD_CHARACTERS = 16 * 1024 * 1024;

/**
 * Reads a hook's payload from a stream: until it is whole, which a client that keeps the pipe open does
 * not tell otherwise, or until it ends.
 * @returns an empty one when it holds no JSON object
 */
export async function readPayload(input: NodeJS.ReadStream): Promise<Payload> {
  let text = '';
  input.setEncoding('utf8');
  for await (const part of input) {
    text += String(part);
    if (text.length > MOST_PAYLOAD_CHARACTERS) return {};
    const payload = text.trimEnd().endsWith('}') ? parsed(text) : undefined;
    if (payload !== undefined) return payload;
  }
  return {};
}

function parsed(text: string): Payload | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
