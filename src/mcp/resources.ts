import { readFileSync } from 'node:fs';
import { type McpServer, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { escapeUnsafe, showMessageLine, systemClock } from '../index.ts';
import type { Mailbox } from './mailbox.ts';

/** Adds what a client may put into its context: the protocol, the board, and the inbox as it stands. */
export function addResources(server: McpServer, { hive, agent }: Mailbox): void {
  const { protocol, board } = hive.layout;
  addFile(server, { name: 'PROTOCOL.md', path: protocol, description: 'How mail works here.' });
  addFile(server, { name: 'board.md', path: board, description: 'The shared plan.' });
  const description = 'My unhandled letters, one a line.';
  server.registerResource(
    'inbox',
    'hivemail://inbox',
    { description, mimeType: 'text/plain' },
    async ({ href: uri }) => {
      const now = systemClock.now();
      const lines = hive
        .inbox(agent)
        .map(({ id, message }) =>
          message === undefined ? id : showMessageLine(message, { redact: true, now }),
        );
      return { contents: [{ uri, mimeType: 'text/plain', text: lines.join('\n') }] };
    },
  );
}

function addFile(
  server: McpServer,
  { name, path, description }: { name: string; path: string; description: string },
): void {
  const mimeType = 'text/markdown';
  server.registerResource(
    name,
    `hivemail://${name}`,
    { description, mimeType },
    async ({ href: uri }) => {
      const text = textOf(path);
      if (text === undefined) throw new ResourceNotFoundError(uri);
      return { contents: [{ uri, mimeType, text: escapeUnsafe(text) }] };
    },
  );
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return undefined;
  }
}
