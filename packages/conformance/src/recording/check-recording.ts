import { isObject, parsed } from './entry.ts';

/** A line of a recording that the format does not allow. */
export interface RecordingProblem {
  /** From 1. */
  readonly line: number;
  readonly problem: string;
}

/** Limit of reported problems: a file of another kind has one on each line. */
const MAX_PROBLEMS = 100;

/**
 * Checks the text of a recording against format 1, line by line; see `docs/recordings.md`. Unknown members are allowed. Returns the first 100
 * problems, none for a valid recording. `readRecording` accepts more than this.
 */
export function checkRecording(text: string): readonly RecordingProblem[] {
  const problems: RecordingProblem[] = [];
  const lines = text.split('\n');
  const rest = lines.pop();
  if (lines.length === 0) return [{ line: 1, problem: 'the file has no whole line' }];
  for (const [index, content] of lines.entries()) {
    if (problems.length >= MAX_PROBLEMS) break;
    const tell = (problem: string): void => void problems.push({ line: index + 1, problem });
    const value = parsed(content);
    if (!isObject(value)) {
      tell('expected a JSON object');
      continue;
    }
    checkTime(value['time'], tell);
    if (index === 0) {
      checkHead(value['recording'], tell);
      continue;
    }
    if ('droppedCount' in value) {
      if (!isCount(value['droppedCount'])) tell('droppedCount: expected a positive integer');
      continue;
    }
    if (!isCount(value['connection'])) tell('connection: expected a positive integer');
    if ('closed' in value) checkClosed(value['closed'], tell);
    else checkFrame(value, tell);
  }
  // A killed program leaves half a line.
  if (rest !== '' && problems.length < MAX_PROBLEMS)
    problems.push({ line: lines.length + 1, problem: 'the line is not complete' });
  return problems;
}

type Tell = (problem: string) => void;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

function checkTime(value: unknown, tell: Tell): void {
  const timeMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(timeMs) || new Date(timeMs).toISOString() !== value)
    tell('time: expected UTC in the form 2026-01-31T09:05:00.000Z');
}

function checkHead(value: unknown, tell: Tell): void {
  if (!isObject(value)) return tell('the first line has no member recording');
  if (value['format'] !== 1) tell('recording.format: expected 1');
  if (value['side'] !== 'client' && value['side'] !== 'host') tell('recording.side: expected client or host');
  if (typeof value['program'] !== 'string') tell('recording.program: expected a text');
}

function checkClosed(value: unknown, tell: Tell): void {
  if (!isObject(value) || !Number.isInteger(value['code']) || typeof value['reason'] !== 'string')
    tell('closed: expected a code and a reason');
}

function checkFrame(value: Readonly<Record<string, unknown>>, tell: Tell): void {
  const { direction, message, unreadableLength } = value;
  if (direction !== 'client-to-host' && direction !== 'host-to-client')
    tell('direction: expected client-to-host or host-to-client');
  const isUnreadable = Number.isSafeInteger(unreadableLength) && Number(unreadableLength) >= 0;
  if (!isObject(message) && !isUnreadable)
    tell('expected a message, closed, droppedCount or unreadableLength');
}
