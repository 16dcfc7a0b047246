import { systemCode } from '../protocol/errors.ts';
import type { Router } from './router.ts';

/** Begins a new log.jsonl when it has grown large. When that can't be done it goes on growing. */
export async function rotateLog({ log, settings, health }: Router): Promise<void> {
  try {
    await log.rotate(settings.log.segmentBytes);
    health.clear('log-rotation');
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const message = `log.jsonl is large and can't be moved into log/ (${code}). It is still written.`;
    health.report('log-rotation', { red: false, message });
  }
}
