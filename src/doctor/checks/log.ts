import { parseRow } from '../../log/rows.ts';
import { type Examination, lastRows } from '../examination.ts';
import { allWell, count, type Observation } from '../finding.ts';

const TAIL_BYTES = 1024 * 1024;
const LARGE_BYTES = 1024 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** Looks at the end of log.jsonl: whether its rows can be read, and how large it is. */
export async function checkLog(exam: Examination): Promise<Observation[]> {
  const { fs, layout } = exam;
  const stat = fs.stat(layout.log);
  if (stat === undefined) return [allWell('There is no log yet.')];
  if (stat.kind !== 'file') return [aboutWrongKind()];
  const from = Math.max(0, stat.sizeBytes - TAIL_BYTES);
  const bytes = Buffer.from(fs.read(layout.log, TAIL_BYTES, from).bytes);
  const found = [...aboutLines(bytes, from > 0), ...aboutSize(stat.sizeBytes)];
  if (found.length > 0) return found;
  const last = lastRows(exam).at(-1)?.ts;
  return [
    allWell(`The log can be read${last === undefined ? '' : `; its last row is of ${last}`}.`),
  ];
}

function aboutWrongKind(): Observation {
  return {
    level: 'error',
    what: 'log.jsonl is no file.',
    means: 'No outcome can be logged, so the router decides on no letter.',
    advice: 'Move it away; the router makes a new one.',
  };
}

function aboutLines(bytes: Buffer, isCut: boolean): Observation[] {
  const whole = bytes.lastIndexOf(LINE_FEED) + 1;
  const lines = bytes
    .subarray(0, whole)
    .toString('utf8')
    .split('\n')
    .slice(isCut ? 1 : 0, -1);
  const bad = lines.filter((line) => line !== '' && parseRow(line) === undefined).length;
  const found: Observation[] = [];
  if (whole < bytes.length) {
    found.push({
      level: 'note',
      what: 'The last line of log.jsonl is torn.',
      means:
        'A crash or a full disk cut it off, or it is being written. The next row starts on a line of its own; readers pass over the torn one.',
    });
  }
  if (bad > 0) {
    found.push({
      level: 'note',
      what: `${count(bad, 'line')} near the end of log.jsonl ${bad === 1 ? 'is' : 'are'} no row.`,
      means:
        'Readers pass over it. A crash tears at most one line each time; more were put there by another program.',
    });
  }
  return found;
}

function aboutSize(sizeBytes: number): Observation[] {
  if (sizeBytes < LARGE_BYTES) return [];
  return [
    {
      level: 'note',
      what: `log.jsonl has ${(sizeBytes / LARGE_BYTES).toFixed(1)} GiB.`,
      means: 'The router reads only its end; programs that read all of it take long.',
    },
  ];
}
