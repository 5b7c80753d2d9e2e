import type { Duplex } from 'node:stream';
import type { TokenScope } from '@agenthost/protocol';
import { TRANSPORT_CLOSE } from '@agenthost/rpc';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { RawData, WebSocket } from 'ws';

const MEBIBYTE = 1024 * 1024;

/** Limit for received and unhandled bytes of all connections of one token: two of the largest messages. Messages of `observe` tokens are short. */
export const MAX_UNHANDLED_BYTES = { interact: 32 * MEBIBYTE, observe: 16 * MEBIBYTE } as const;

/** Limit for all tokens together, except those of scope `admin`. */
export const MAX_UNHANDLED_BYTES_IN_ALL = 48 * MEBIBYTE;

interface Sender {
  readonly tokenHash: string;
  bytes: number;
  cutOff(): void;
}

/** Shortest header of a frame. */
const HEADER_BYTES = 6;

/**
 * Limits the received bytes that are not handled yet: incomplete messages, which a client may leave unfinished forever, and messages that wait
 * behind others of the same read. Above a limit the connection with the most bytes of that token is closed. Connections of `admin` tokens are
 * not counted.
 */
export class UnhandledBytes {
  readonly #senders = new Set<Sender>();
  readonly #byToken = new Map<string, number>();
  #total = 0;

  /** Counts the bytes of `stream`. `socket` reads the messages of `transport` from it. */
  watch(
    { tokenHash, scope }: { tokenHash: string; scope: Exclude<TokenScope, 'none'> },
    { stream, socket, transport }: { stream: Duplex; socket: WebSocket; transport: ServerTransport },
  ): void {
    if (scope === 'admin') return;
    const sender: Sender = {
      tokenHash,
      bytes: 0,
      cutOff: () => {
        transport.close(
          TRANSPORT_CLOSE.policyViolation,
          'too many bytes of this token wait to be handled: send it again later',
        );
        // Without this the received bytes stay in memory until the client answers the close.
        transport.terminate();
      },
    };
    let lastLength = 0;
    // Bytes behind a message came in the same read. The minimum keeps uncounted headers of fragments from adding up.
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
