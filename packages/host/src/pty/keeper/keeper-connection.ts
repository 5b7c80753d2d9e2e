import { connect, type Socket } from 'node:net';
import { errorText, hasCode } from '@agenthost/protocol/values';
import { PtyError, type PtyExit, type PtySpec } from '../pty.ts';
import {
  acknowledgeFrame,
  controlFrame,
  FRAME_LIMIT_BYTES,
  type Frame,
  FrameError,
  FrameReader,
  inputFrames,
} from './frames.ts';
import {
  type Hello,
  type HostMessage,
  KEEPER_PROTOCOL,
  type KeeperMessage,
  parseKeeperMessage,
} from './protocol.ts';

/** Events of a pty in a keeper. */
export interface KeptPtyEvents {
  /** `bytes` are valid only during the call. */
  data(bytes: Uint8Array, offset: number): void;
  /** All output was delivered. Exit code 129 (hang-up) when the keeper is gone. */
  exit(exit: PtyExit): void;
}

/** Options of a connection to a keeper. */
export interface KeeperConnectionOptions {
  /** Version in the hello. */
  readonly build: string;
  /** Timeout of each answer, in ms. */
  readonly timeoutMs: number;
  /** Timeout of the hello, in ms. Default: none. */
  readonly helloTimeoutMs?: number;
  /** Stops waiting for the hello. */
  readonly signal?: AbortSignal;
}

/** The result of an attempt to reach a keeper. */
export type ReachedKeeper =
  | { readonly outcome: 'connected'; readonly connection: KeeperConnection }
  /** The keeper has another protocol number. */
  | { readonly outcome: 'foreign'; readonly hello: Hello }
  /** No process listens there. */
  | { readonly outcome: 'gone' }
  /** A process listens there that does not answer as a keeper, or not in time. */
  | { readonly outcome: 'unusable'; readonly reason: string };

/** Requests that have an answer. */
export type KeeperRequest =
  | { readonly type: 'list' }
  | { readonly type: 'spawn'; readonly spec: PtySpec }
  | { readonly type: 'kill'; readonly pty: number; readonly forgets?: boolean };

/** Answers to successful requests. */
export type KeeperAnswer = Extract<KeeperMessage, { type: 'listed' | 'spawned' | 'killed' }>;

interface OpenRequest {
  readonly type: KeeperRequest['type'];
  readonly timer: NodeJS.Timeout | undefined;
  resolve(answer: KeeperAnswer): void;
  reject(error: PtyError): void;
}

/** Limit of unsent data. Input beyond it is dropped, because the keeper is stuck. */
const UNSENT_LIMIT_BYTES = 16 * 1024 * 1024;
/** Time between the end of the writing side and the close of the socket, in ms. */
const CLOSE_GRACE_MS = 1_000;
/** The buffer of all reads. A read is handled before the next one, so all connections share it. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);
/** The exit of a pty whose keeper is gone. The master is closed, which is a hang-up (128 + SIGHUP). */
const HUNG_UP: PtyExit = { exitCode: 129 };

/**
 * The host's end of the connection to one keeper. When the connection is lost, every pty gets an exit behind its received output, and every
 * request rejects.
 */
export class KeeperConnection {
  readonly #socket: Socket;
  readonly #timeoutMs: number;
  readonly #reader: FrameReader;
  readonly #greeted = Promise.withResolvers<Hello>();
  readonly #closed = Promise.withResolvers<void>();
  readonly #requests = new Map<number, OpenRequest>();
  readonly #ptys = new Map<number, KeptPtyEvents>();
  /** Acknowledged offsets that were not sent to the keeper yet, by pty. */
  readonly #acknowledged = new Map<number, number>();
  #hello: Hello | undefined;
  #lastRequest = 0;
  #isOpen = true;

  /**
   * Connects to the socket at `address` and exchanges hellos. Never rejects. Leaves no connection open unless the outcome is `connected`.
   */
  static async reach(address: string, options: KeeperConnectionOptions): Promise<ReachedKeeper> {
    const connection = new KeeperConnection(address, options);
    try {
      const hello = await connection.#greeted.promise;
      if (hello.protocol === KEEPER_PROTOCOL) return { outcome: 'connected', connection };
      connection.#lose();
      return { outcome: 'foreign', hello };
    } catch (error) {
      connection.#lose();
      // Nobody listens at the socket, or there is no socket.
      if (hasCode(error, 'ECONNREFUSED', 'ENOENT')) return { outcome: 'gone' };
      return { outcome: 'unusable', reason: errorText(error) };
    } finally {
      if (!connection.#isOpen) await connection.#closed.promise;
    }
  }

  private constructor(address: string, options: KeeperConnectionOptions) {
    const { build, timeoutMs, helloTimeoutMs, signal } = options;
    const socket = connect({
      path: address,
      // A buffer for each read would make memory grow with what goes through it.
      onread: {
        buffer: readBuffer,
        callback: (length) => {
          this.#read(readBuffer.subarray(0, length));
          return true;
        },
      },
    });
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    this.#reader = new FrameReader((frame) => this.#receive(frame));
    const timer =
      helloTimeoutMs === undefined
        ? undefined
        : setTimeout(
            () => this.#greeted.reject(new Error(`no hello within ${helloTimeoutMs} ms`)),
            helloTimeoutMs,
          );
    const giveUp = (): void => this.#greeted.reject(new Error('the host stopped waiting for it'));
    signal?.addEventListener('abort', giveUp);
    const settled = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    };
    this.#greeted.promise.then(settled, settled);
    socket.on('error', (error) => this.#greeted.reject(error));
    socket.on('close', () => {
      this.#lose();
      this.#closed.resolve();
    });
    socket.resume();
    this.#send({ type: 'hello', protocol: KEEPER_PROTOCOL, build, pid: process.pid });
  }

  /** Whether the connection is open. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Version of the keeper. */
  get build(): string {
    return this.#hello?.build ?? '';
  }

  /** Process id of the keeper. */
  get pid(): number {
    return this.#hello?.pid ?? 0;
  }

  /** Number of attached ptys. */
  get ptyCount(): number {
    return this.#ptys.size;
  }

  /** Resolves when the connection is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /**
   * Sends a request. Rejects with `PtyError` when the keeper refuses it, is gone, or takes longer than `timeoutMs`. Default: the timeout of
   * the connection. `Infinity`: no timeout.
   */
  request(request: KeeperRequest, timeoutMs: number = this.#timeoutMs): Promise<KeeperAnswer> {
    if (!this.#canSend) return Promise.reject(new PtyError('the keeper of terminals is gone'));
    this.#lastRequest += 1;
    const number = this.#lastRequest;
    let frame: Buffer;
    try {
      frame = controlFrame({ ...request, request: number });
    } catch (cause) {
      return Promise.reject(
        new PtyError(`The keeper cannot accept this request: ${errorText(cause)}`, { cause, fault: 'spec' }),
      );
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#requests.delete(number);
        reject(
          new PtyError(`the keeper of terminals did not answer within ${timeoutMs} ms (${request.type})`),
        );
      };
      const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(giveUp, timeoutMs);
      this.#requests.set(number, { type: request.type, timer, resolve, reject });
      this.#socket.write(frame);
    });
  }

  /** Begins to deliver the output of a pty from `offset` on. */
  attach(pty: number, offset: number): void {
    this.#send({ type: 'attach', pty, offset });
  }

  /** Writes input to a pty. Dropped while too much data is unsent. */
  write(pty: number, data: string): void {
    if (!this.#canSend || this.#socket.writableLength > UNSENT_LIMIT_BYTES) return;
    for (const frame of inputFrames(pty, data)) this.#socket.write(frame);
  }

  /** Nothing waits for this, so what comes within one iteration of the event loop is sent once. */
  acknowledge(pty: number, offset: number): void {
    if (this.#acknowledged.size === 0) setImmediate(() => this.#sendAcknowledged());
    this.#acknowledged.set(pty, Math.max(offset, this.#acknowledged.get(pty) ?? 0));
  }

  /** Says something that has no answer. */
  tell(message: Extract<HostMessage, { type: 'hold' | 'resize' | 'signal' | 'release' }>): void {
    this.#send(message);
  }

  /** Registers who hears of a pty; when the keeper is gone already, that is its end. */
  listen(pty: number, events: KeptPtyEvents): void {
    if (this.#isOpen) this.#ptys.set(pty, events);
    else events.exit(HUNG_UP);
  }

  /** Nobody hears of the pty any more. */
  forget(pty: number): void {
    this.#ptys.delete(pty);
  }

  /** Sends what is left and hangs up; ptys hear nothing more. Idempotent. */
  async close(): Promise<void> {
    this.#ptys.clear();
    this.#reader.stop();
    this.#sendAcknowledged();
    this.#socket.end();
    // What is left to read must not keep the end from being seen.
    this.#socket.resume();
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_GRACE_MS);
    await this.#closed.promise;
    clearTimeout(timer);
  }

  get #canSend(): boolean {
    return this.#isOpen && !this.#socket.writableEnded;
  }

  #send(message: HostMessage): void {
    if (this.#canSend) this.#socket.write(controlFrame(message));
  }

  #sendAcknowledged(): void {
    if (this.#canSend) {
      for (const [pty, offset] of this.#acknowledged) this.#socket.write(acknowledgeFrame(pty, offset));
    }
    this.#acknowledged.clear();
  }

  #read(chunk: Buffer): void {
    try {
      this.#reader.push(chunk);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#greeted.reject(error);
      this.#lose();
    }
  }

  #receive(frame: Frame): void {
    if (frame.kind === 'data') {
      this.#ptys.get(frame.pty)?.data(frame.bytes, frame.offset);
      return;
    }
    if (frame.kind !== 'control') throw new FrameError(`a keeper sends no ${frame.kind}`);
    const message = parseKeeperMessage(frame.text);
    if (this.#hello === undefined) {
      if (message?.type !== 'hello') throw new FrameError('a hello was expected');
      this.#hello = message;
      this.#reader.limitBytes = FRAME_LIMIT_BYTES;
      this.#greeted.resolve(message);
    } else if (message !== undefined) this.#handle(message);
  }

  #handle(message: KeeperMessage): void {
    switch (message.type) {
      case 'hello':
        return;
      case 'exit':
        this.#ptys.get(message.pty)?.exit({ exitCode: message.exitCode });
        return;
      case 'failed':
        this.#take(message.request)?.reject(new PtyError(message.message, { fault: message.fault }));
        return;
      case 'spawned': {
        const request = this.#take(message.request);
        if (request === undefined) this.#abandon(message.pty);
        else request.resolve(message);
        return;
      }
      case 'listed':
      case 'killed':
        this.#take(message.request)?.resolve(message);
        return;
      default:
        message satisfies never;
    }
  }

  #take(number: number): OpenRequest | undefined {
    const request = this.#requests.get(number);
    this.#requests.delete(number);
    clearTimeout(request?.timer);
    return request;
  }

  /** Ends a pty that was started after its caller had abandoned the start. */
  #abandon(pty: number): void {
    this.request({ type: 'kill', pty, forgets: true })
      .catch(() => undefined)
      .finally(() => this.tell({ type: 'release', pty }));
  }

  #lose(): void {
    this.#greeted.reject(new Error('it hung up'));
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#reader.stop();
    this.#socket.destroy();
    const ptys = [...this.#ptys.values()];
    this.#ptys.clear();
    // Before the requests: whoever waits for a pty to be killed then learns that it is gone.
    for (const pty of ptys) pty.exit(HUNG_UP);
    for (const number of [...this.#requests.keys()]) {
      this.#take(number)?.reject(new PtyError('the keeper of terminals is gone'));
    }
  }
}
