import type { Duplex } from 'node:stream';
import { TRANSPORT_CLOSE } from '@agenthost/rpc';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { RawData, WebSocket } from 'ws';
import type { TokenIdentity } from '../../auth/access-tokens.ts';

const MEBIBYTE = 1024 * 1024;

/**
 * What may have come that is not handled, by all connections of one token: two of the largest messages. Messages of tokens that may only look
 * are short.
 */
export const MAX_UNHANDLED_BYTES = { interact: 32 * MEBIBYTE, observe: 16 * MEBIBYTE } as const;

/** The same of all tokens but admins' together. */
export const MAX_UNHANDLED_BYTES_IN_ALL = 48 * MEBIBYTE;

interface Sender {
  readonly tokenHash: string;
  bytes: number;
  cutOff(): void;
}

/** Least length of a frame's header. */
const HEADER_BYTES = 6;

/**
 * Bounds what has come and is not handled, of all connections together: messages that are not complete, for which there is no other end than
 * the patience of their senders, and those that wait in what was read at once. Past the bound the connection with the most is closed, of the
 * token with the most. Admins' are not counted.
 */
export class UnhandledBytes {
  readonly #senders = new Set<Sender>();
  readonly #byToken = new Map<string, number>();
  #total = 0;

  /** Counts what comes by `stream`, from which `socket` reads the messages of `transport`. */
  watch(
    { tokenHash, scope }: TokenIdentity,
    { stream, socket, transport }: { stream: Duplex; socket: WebSocket; transport: ServerTransport },
  ): void {
    if (scope === 'admin') return;
    const sender: Sender = {
      tokenHash,
      bytes: 0,
      cutOff: () => {
        transport.close(
          TRANSPORT_CLOSE.policyViolation,
          'this token has too much under way to the host: send it again later',
        );
        // Else what has come stays until the other end answers.
        transport.terminate();
      },
    };
    let lastLength = 0;
    // What is left behind a message came in the last read, with it: headers of parts, which nobody tells of, do not add up.
    const handled = (length: number): void =>
      this.#count(
        sender,
        Math.min(Math.max(0, sender.bytes - length - HEADER_BYTES), lastLength) - sender.bytes,
      );
    socket.on('message', (data) => handled(lengthOf(data)));
    socket.on('ping', ({ length }) => handled(length));
    socket.on('pong', ({ length }) => handled(length));
    stream.once('close', () => this.#count(sender, -sender.bytes));
    stream.on('data', (chunk: Buffer) => {
      lastLength = chunk.length;
      this.#count(sender, chunk.length);
      if ((this.#byToken.get(tokenHash) ?? 0) > MAX_UNHANDLED_BYTES[scope]) this.#cutOffOne(tokenHash);
      else if (this.#total > MAX_UNHANDLED_BYTES_IN_ALL) this.#cutOffOne(this.#fullestToken());
    });
  }

  #cutOffOne(tokenHash: string | undefined): void {
    const [most] = [...this.#senders]
      .filter((sender) => sender.tokenHash === tokenHash)
      .toSorted((one, other) => other.bytes - one.bytes);
    if (most === undefined) return;
    this.#count(most, -most.bytes);
    most.cutOff();
  }

  #fullestToken(): string | undefined {
    const [fullest] = [...this.#byToken].toSorted(([, one], [, other]) => other - one);
    return fullest?.[0];
  }

  #count(sender: Sender, by: number): void {
    if (by === 0) return;
    sender.bytes += by;
    if (sender.bytes === 0) this.#senders.delete(sender);
    else this.#senders.add(sender);
    const ofToken = (this.#byToken.get(sender.tokenHash) ?? 0) + by;
    if (ofToken === 0) this.#byToken.delete(sender.tokenHash);
    else this.#byToken.set(sender.tokenHash, ofToken);
    this.#total += by;
  }
}

const lengthOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((sum, { length }) => sum + length, 0) : data.byteLength;
