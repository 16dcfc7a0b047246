import { pino } from 'pino';
import { type PrettyOptions, prettyFactory } from 'pino-pretty';
import { escapeLine } from '../index.ts';
import { hasColor, type Surface } from './surface.ts';

/** What a router's process says about itself; the mail is told by log.jsonl. */
export interface DaemonLog {
  info(sentence: string): void;
  warn(sentence: string): void;
  error(sentence: string, cause?: unknown): void;
}

/**
 * Opens the log of a router's process on standard error: a line for a person on a terminal, JSON lines
 * otherwise.
 */
export function openDaemonLog({ stderr, env }: Pick<Surface, 'stderr' | 'env'>): DaemonLog {
  const toText = stderr.isTTY === true ? personal(hasColor(stderr, env)) : (line: string) => line;
  const logger = pino(
    {
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    { write: (line) => stderr.write(toText(line)) },
  );
  return {
    info: (sentence) => logger.info(escapeLine(sentence)),
    warn: (sentence) => logger.warn(escapeLine(sentence)),
    error: (sentence, cause) => logger.error(detailsOf(cause), escapeLine(sentence)),
  };
}

/** Lines that go with those of the mail that goes by. */
function personal(colorize: boolean): (line: string) => string {
  const customPrettifiers: PrettyOptions['customPrettifiers'] = {
    time: (time) => (typeof time === 'string' ? `${time} ` : ''),
    level: (level) => (typeof level === 'string' ? level : ''),
  };
  const ignore = 'pid,hostname';
  const translateTime = 'UTC:HH:MM:ss';
  return prettyFactory({ colorize, ignore, translateTime, singleLine: true, customPrettifiers });
}

function detailsOf(cause: unknown): object {
  if (!(cause instanceof Error)) return {};
  const code = 'code' in cause ? { code: String(cause.code) } : {};
  return { ...code, cause: escapeLine(cause.message) };
}
