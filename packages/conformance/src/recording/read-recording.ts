import { type Direction, type Entry, isObject } from './entry.ts';

/** Other names of the directions, as foreign recordings write them. */
const DIRECTIONS: Readonly<Record<string, Direction>> = {
  'client-to-host': 'client-to-host',
  'host-to-client': 'host-to-client',
  c2s: 'client-to-host',
  s2c: 'host-to-client',
};

/** An invalid line of a recording. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

/**
 * Reads the lines of a recording. Accepts those of `--record`, and the short form `{t, dir, m, conn?}` of other
 * recorders. Empty lines and heads are skipped, and so is an incomplete last line, which a killed program leaves.
 * Throws {@link RecordingError} with the number of the line.
 */
export function readRecording(text: string): Entry[] {
  const lines = text.split('\n');
  return lines.flatMap((each, index) => {
    if (each.trim() === '') return [];
    let value: unknown;
    try {
      value = JSON.parse(each);
    } catch (cause) {
      if (index === lines.length - 1) return [];
      throw new RecordingError(`line ${index + 1} is not JSON`, { cause });
    }
    if (!isObject(value)) throw new RecordingError(`line ${index + 1} is not an object`);
    if ('recording' in value) return [];
    return entryOf(value, index + 1);
  });
}

function entryOf(value: Readonly<Record<string, unknown>>, number: number): Entry {
  const { time, t, connection = 1, conn, closed, droppedCount, direction, dir, message, m } = value;
  const timeMs = typeof time === 'string' ? Date.parse(time) : (time ?? t);
  // The range of dates.
  if (typeof timeMs !== 'number' || !(Math.abs(timeMs) <= 8.64e15))
    throw new RecordingError(`line ${number} has no time`);
  if (typeof droppedCount === 'number') return { timeMs, droppedCount };
  const of = conn ?? connection;
  if (typeof of !== 'number') throw new RecordingError(`line ${number}: connection must be a number`);
  if (isObject(closed)) {
    const { code, reason } = closed;
    return {
      timeMs,
      connection: of,
      closed: {
        code: typeof code === 'number' ? code : 1006,
        reason: typeof reason === 'string' ? reason : '',
      },
    };
  }
  const way = direction ?? dir;
  const known = typeof way === 'string' && Object.hasOwn(DIRECTIONS, way) ? DIRECTIONS[way] : undefined;
  if (known === undefined) throw new RecordingError(`line ${number} has no direction`);
  const content = message ?? m;
  return { timeMs, connection: of, direction: known, ...(isObject(content) && { message: content }) };
}
