import { type AgentId, DESK, isAgentId } from '../protocol/addresses.ts';
import { isMessageId, type MessageId } from '../protocol/ids.ts';

/** Longest file name on every file system we know, in bytes. */
const MOST_BYTES = 255;
/** The longest mark that a name gets later, as in `bounced-<id>.<file>`. */
const LONGEST_MARK = 'bounced-';

const UNFIT =
  /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\u0000-\u001f\u007f-\u009f/\\]/g;

/** Parts of a file name in `claim/`: `<id>~<sender>~<file>`. */
export interface ClaimName {
  id: MessageId;
  sender: AgentId;
  file: string;
}

/** Writes the name of a claim, its file name cut so that every later name fits. */
export function formatClaimName({ id, sender, file }: ClaimName): string {
  const head = `${id}~${sender}~`;
  return `${head}${fitFileName(file, MOST_BYTES - head.length - LONGEST_MARK.length)}`;
}

/** Reads the name of a claim back; nothing when the file was not put there by a router. */
export function parseClaimName(name: string): ClaimName | undefined {
  const [id, sender, ...rest] = name.split('~');
  if (!isMessageId(id) || sender === undefined || rest.length === 0) return undefined;
  if (sender !== DESK && !isAgentId(sender)) return undefined;
  return { id, sender: sender as AgentId, file: rest.join('~') };
}

/**
 * Makes an agent's file name fit into `mostBytes` at a UTF-8 boundary and fit for display: bytes that
 * are no text, control characters and path separators become `_`. Its ending is kept.
 */
function fitFileName(file: string, mostBytes: number): string {
  const clean = file.replace(UNFIT, '_');
  if (Buffer.byteLength(clean) <= mostBytes) return clean;
  const ending = /\.[a-z0-9]{1,8}$/i.exec(clean)?.[0] ?? '';
  let stem = '';
  let bytes = Buffer.byteLength(ending);
  for (const character of clean.slice(0, clean.length - ending.length)) {
    bytes += Buffer.byteLength(character);
    if (bytes > mostBytes) break;
    stem += character;
  }
  return `${stem}${ending}`;
}
