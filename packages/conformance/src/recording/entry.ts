/** Who sent a frame. */
export type Direction = 'client-to-host' | 'host-to-client';

/** One JSON-RPC message as it was on the wire, without secrets. */
export type Message = Readonly<Record<string, unknown>>;

/** A frame of a recording. */
export interface FrameEntry {
  /** When it passed, in milliseconds since the epoch. */
  readonly timeMs: number;
  /** Number of the connection within the recording, from 1. */
  readonly connection: number;
  readonly direction: Direction;
  /** Absent: the frame was not a JSON object. */
  readonly message?: Message;
}

/** The end of a connection. */
export interface CloseEntry {
  readonly timeMs: number;
  readonly connection: number;
  readonly closed: { readonly code: number; readonly reason: string };
}

/** Frames that the recorder left out, because they came faster than it could write. */
export interface DroppedEntry {
  readonly timeMs: number;
  readonly droppedCount: number;
}

/** One line of a recording. */
export type Entry = FrameEntry | CloseEntry | DroppedEntry;

/** Whether a value is an object that is not a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value from the wire as text: strings as they are, everything else as JSON. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');

/** The value of a text; `undefined` if it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
