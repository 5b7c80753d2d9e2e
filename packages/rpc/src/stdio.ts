import type { Readable, Writable } from 'node:stream';
import { Inbox } from './inbox.ts';
import {
  DEFAULT_MAX_HOST_FRAME_BYTES,
  TRANSPORT_CLOSE,
  type Transport,
  type TransportHandlers,
} from './transport.ts';

/** Streams and limit of a stdio transport. */
export interface StdioOptions {
  /** Stream of newline-delimited JSON to read: `process.stdin`, or a child's stdout. */
  input: Readable;
  /** Stream to write: `process.stdout`, or a child's stdin. `close` ends it. */
  output: Writable;
  /** Longest accepted line in bytes. A longer line closes the transport with code 1009. Default 64 MiB. */
  maxLineBytes?: number;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * A transport over two byte streams, one message per line [WIRE-1]. Empty lines are skipped and CRLF is
 * accepted. A last line without its newline is incomplete and dropped. The caller owns the streams and ends a
 * child process.
 *
 * @example
 * const child = spawn('my-agent');
 * const transport = stdioTransport({ input: child.stdout, output: child.stdin });
 */
export function stdioTransport({
  input,
  output,
  maxLineBytes = DEFAULT_MAX_HOST_FRAME_BYTES,
}: StdioOptions): Transport {
  const inbox = new Inbox();
  // Only whole lines are decoded: a newline byte never occurs inside a UTF-8 character.
  let partial: Buffer[] = [];
  let partialBytes = 0;

  const finish = (code: number, reason: string): void => {
    if (inbox.isClosed) return;
    input.off('data', onData);
    // Otherwise an open stdin would keep the process alive.
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

  // The 'error' listener is added now, so that an error does not throw. The 'data' listener is added by
  // `start`, so that nothing is read before.
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
      // After an error the stream may refuse writes before its 'error' event arrives.
      if (inbox.isClosed || !output.writable) return;
      // Raw line breaks occur in JSON only as white space between tokens.
      output.write(`${frame.includes('\n') ? frame.replace(/[\r\n]+/g, ' ') : frame}\n`);
    },
    close: (code = TRANSPORT_CLOSE.normal, reason = '') => finish(code, reason),
    start: (handlers: TransportHandlers) => {
      inbox.start(handlers);
      if (!inbox.isClosed) input.on('data', onData);
    },
  };
}
