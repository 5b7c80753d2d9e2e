import type { Readable, Writable } from 'node:stream';
import { Inbox } from './inbox.ts';
import {
  DEFAULT_MAX_HOST_FRAME_BYTES,
  TRANSPORT_CLOSE,
  type Transport,
  type TransportHandlers,
} from './transport.ts';

/** Where lines come from and go to. */
export interface StdioOptions {
  /** Read as newline-delimited JSON: `process.stdin`, or a child's stdout. */
  input: Readable;
  /** Written the same way: `process.stdout`, or a child's stdin. Ended by `close`. */
  output: Writable;
  /** Longest line accepted, in bytes; a longer one closes with 1009. Default 64 MiB. */
  maxLineBytes?: number;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * A transport over two byte streams, one message a line [WIRE-1]. Empty lines are skipped, CRLF is accepted, a last line
 * without its newline was torn and is dropped. The streams belong to the caller, who ends a child process.
 */
export function stdioTransport({
  input,
  output,
  maxLineBytes = DEFAULT_MAX_HOST_FRAME_BYTES,
}: StdioOptions): Transport {
  const inbox = new Inbox();
  // Whole lines are decoded, never chunks: a newline byte is never inside a UTF-8 character.
  let partial: Buffer[] = [];
  let partialBytes = 0;

  const finish = (code: number, reason: string): void => {
    if (inbox.isClosed) return;
    input.off('data', onData);
    // Else an open stdin would keep the process alive.
    input.pause();
    partial = [];
    output.end();
    inbox.close({ code, reason });
  };
  const takeLine = (last: Buffer): void => {
    const line = partial.length === 0 ? last : Buffer.concat([...partial, last]);
    partial = [];
    partialBytes = 0;
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    if (end > 0) inbox.push(line.toString('utf8', 0, end));
  };
  const onData = (data: unknown): void => {
    const chunk = typeof data === 'string' ? Buffer.from(data) : data;
    if (!Buffer.isBuffer(chunk)) return finish(TRANSPORT_CLOSE.unsupportedData, 'input is no byte stream');
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); !inbox.isClosed; at = chunk.indexOf(NEWLINE, start)) {
      const end = at === -1 ? chunk.length : at;
      partialBytes += end - start;
      if (partialBytes > maxLineBytes) {
        return finish(TRANSPORT_CLOSE.frameTooLarge, `line longer than ${maxLineBytes} bytes`);
      }
      if (at === -1) {
        if (start < end) partial.push(chunk.subarray(start));
        return;
      }
      takeLine(chunk.subarray(start, at));
      start = at + 1;
    }
  };

  // Listening from the start keeps an 'error' from throwing; 'data' waits for `start`, so nothing is read before.
  input.on('error', (error) => finish(TRANSPORT_CLOSE.lost, error.message));
  output.on('error', (error) => finish(TRANSPORT_CLOSE.lost, error.message));
  input.on('end', () => finish(TRANSPORT_CLOSE.normal, 'input ended'));
  input.on('close', () => finish(TRANSPORT_CLOSE.lost, 'input closed'));
  output.on('close', () => finish(TRANSPORT_CLOSE.lost, 'output closed'));

  return {
    get bufferedBytes() {
      return output.writableLength;
    },
    send: (frame) => {
      // After an error the stream may refuse writes before its 'error' event reached us.
      if (inbox.isClosed || !output.writable) return;
      // JSON has raw line breaks only as white space between tokens.
      output.write(`${frame.includes('\n') ? frame.replace(/[\r\n]+/g, ' ') : frame}\n`);
    },
    close: (code = TRANSPORT_CLOSE.normal, reason = '') => finish(code, reason),
    start: (handlers: TransportHandlers) => {
      inbox.start(handlers);
      if (!inbox.isClosed) input.on('data', onData);
    },
  };
}
