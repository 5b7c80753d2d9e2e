import {
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import type { CloseInfo } from '@agenthost/rpc';
import { type Direction, isObject, parsed } from './entry.ts';
import { withoutSecrets } from './secrets.ts';

/** Text of frames that may wait to be written, in UTF-16 code units. Above it frames are dropped and counted. */
const MAX_WAITING_LENGTH = 32 * 1024 * 1024;

/** Longest time that one turn of the event loop spends on the recording, in milliseconds. */
const MAX_SLICE_MS = 4;

/** Text that is written at once, in UTF-16 code units. */
const WRITE_LENGTH = 256 * 1024;

interface Waiting {
  readonly timeMs: number;
  readonly connection: number;
  readonly direction?: Direction;
  readonly text?: string;
  readonly closed?: CloseInfo;
}

/** Options of a {@link FrameRecorder}. */
export interface RecorderOptions {
  /** Path of the file. An earlier file is kept as `<file>.1`, or with the next free number. */
  readonly file: string;
  /** Name and version of the program that records. */
  readonly program: string;
  /** Which peer records. */
  readonly side: 'client' | 'host';
  /** Called once, when the file cannot be written. The recording has ended then; nothing else is affected. */
  onTrouble(cause: unknown): void;
}

/**
 * Writes frames as JSON lines to a file that only its owner can read: time, connection, direction and message, without
 * secrets. Frames are read and written between other work, a few milliseconds at a time.
 */
export class FrameRecorder {
  readonly #onTrouble: (cause: unknown) => void;
  #file: number | undefined;
  #connectionCount = 0;
  #waiting: Waiting[] = [];
  #waitingLength = 0;
  #droppedCount = 0;
  #scheduled: NodeJS.Immediate | undefined;
  /** Writes the remaining frames at the exit: a program that gets two signals exits without closing the recorder. */
  readonly #atExit = (): void => this.close();

  constructor({ file, program, side, onTrouble }: RecorderOptions) {
    this.#onTrouble = onTrouble;
    try {
      keepEarlier(file);
      this.#file = openSync(file, 'w', 0o600);
      // A file that exists keeps its mode, and a device or pipe has no contents to protect.
      if (fstatSync(this.#file).isFile()) fchmodSync(this.#file, 0o600);
    } catch (cause) {
      this.#fail(cause);
    }
    process.once('exit', this.#atExit);
    this.#write(line({ time: isoOf(Date.now()), recording: { format: 1, side, program } }));
  }

  /** The number of a new connection. */
  connectionOpened(): number {
    this.#connectionCount += 1;
    return this.#connectionCount;
  }

  /** Adds one frame. Never throws, and returns quickly. */
  frame(connection: number, direction: Direction, text: string): void {
    if (this.#file === undefined) return;
    if (this.#waitingLength > MAX_WAITING_LENGTH) {
      this.#droppedCount += 1;
      return;
    }
    this.#waitingLength += text.length;
    this.#add({ timeMs: Date.now(), connection, direction, text });
  }

  connectionClosed(connection: number, { code, reason }: CloseInfo): void {
    if (this.#file !== undefined) this.#add({ timeMs: Date.now(), connection, closed: { code, reason } });
  }

  /** Writes all waiting frames, and closes the file. Further calls do nothing. */
  close(): void {
    process.off('exit', this.#atExit);
    this.#flush(Infinity);
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    try {
      closeSync(file);
    } catch (cause) {
      this.#onTrouble(cause);
    }
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#schedule();
  }

  #schedule(): void {
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      this.#flush(MAX_SLICE_MS);
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #flush(sliceMs: number): void {
    const endAt = performance.now() + sliceMs;
    let text = '';
    let count = 0;
    for (const waiting of this.#waiting) {
      if (this.#file === undefined || performance.now() > endAt) break;
      text += lineOf(waiting);
      count += 1;
      this.#waitingLength -= waiting.text?.length ?? 0;
      if (text.length < WRITE_LENGTH) continue;
      this.#write(text);
      text = '';
    }
    this.#waiting.splice(0, count);
    if (this.#waiting.length === 0 && this.#droppedCount > 0) {
      text += line({ time: isoOf(Date.now()), droppedCount: this.#droppedCount });
      this.#droppedCount = 0;
    }
    this.#write(text);
  }

  #write(text: string): void {
    if (this.#file === undefined || text === '') return;
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #fail(cause: unknown): void {
    const file = this.#file;
    this.#file = undefined;
    this.#waiting = [];
    this.#waitingLength = 0;
    try {
      if (file !== undefined) closeSync(file);
    } finally {
      this.#onTrouble(cause);
    }
  }
}

/** A host that was killed starts again with the same file name. */
function keepEarlier(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size === 0) return;
  let number = 1;
  while (existsSync(`${file}.${number}`)) number += 1;
  renameSync(file, `${file}.${number}`);
}

const isoOf = (timeMs: number): string => new Date(timeMs).toISOString();
const line = (value: object): string => `${JSON.stringify(value)}\n`;

function lineOf({ timeMs, connection, direction, text, closed }: Waiting): string {
  const head = { time: isoOf(timeMs), connection };
  if (closed !== undefined) return line({ ...head, closed });
  const message = parsed(text ?? '');
  // The text of an unreadable frame may contain a secret.
  if (!isObject(message)) return line({ ...head, direction, unreadableLength: text?.length ?? 0 });
  return line({ ...head, direction, message: withoutSecrets(message) });
}
