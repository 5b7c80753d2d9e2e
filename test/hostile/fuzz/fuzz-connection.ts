import { once } from 'node:events';
import { type RawData, WebSocket } from 'ws';
import type { Case } from './cases.ts';

/** A frame that the host sent. */
export interface Frame {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly params?: {
    readonly rejectionReason?: string;
    readonly origin?: { readonly clientId: string; readonly clientSeq: number };
  };
}

/** The answers to a batch of cases. */
export interface Outcome {
  /** Answers by id. A request without an answer was dropped with the connection. */
  readonly answers: ReadonlyMap<unknown, Frame>;
  /** Every frame, in order. */
  readonly frames: readonly Frame[];
  /** Close code, if the host closed the connection. */
  readonly closedWith: number | undefined;
}

/** Within this time each message is answered, or dropped with its connection. */
const LIMIT_MS = 30_000;

/** Sends batches of cases and waits for all their outcomes. */
export class FuzzConnection {
  readonly #socket: WebSocket;
  #frames: Frame[] = [];
  #answers = new Map<unknown, Frame>();
  #closedWith: number | undefined;
  #onNews: () => void = () => undefined;
  #fence = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('error', () => undefined); // Followed by 'close'.
    socket.on('message', (data: RawData) => {
      const frame: Frame = JSON.parse(String(data));
      this.#frames.push(frame);
      if (frame.method === undefined) this.#answers.set(frame.id, frame);
      this.#onNews();
    });
    socket.on('close', (code) => {
      this.#closedWith = code;
      this.#onNews();
    });
  }

  /** Opens a connection without a handshake of the protocol. */
  static async bare({ wsUrl, token }: { wsUrl: string; token: string }): Promise<FuzzConnection> {
    const socket = new WebSocket(wsUrl, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    });
    const connection = new FuzzConnection(socket);
    await once(socket, 'open');
    return connection;
  }

  static async open(address: { wsUrl: string; token: string }, clientId: string): Promise<FuzzConnection> {
    const connection = await FuzzConnection.bare(address);
    const params = { channel: 'ahp-root://', protocolVersions: ['1.0.0'], clientId };
    await connection.#exchange(
      [JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })],
      [0],
    );
    return connection;
  }

  get isOpen(): boolean {
    return this.#closedWith === undefined;
  }

  /** Rejects when a message is neither answered nor dropped. */
  play(cases: readonly Case[]): Promise<Outcome> {
    const ids = cases.flatMap(({ id }) => id ?? []);
    return this.#exchange(
      cases.map(({ frame }) => frame),
      ids,
    );
  }

  /** Sends a request and waits for its answer. */
  async ask(method: string, params: object): Promise<Frame | undefined> {
    this.#fence += 1;
    const id = `ask-${this.#fence}`;
    const { answers } = await this.#exchange([JSON.stringify({ jsonrpc: '2.0', id, method, params })], [id]);
    return answers.get(id);
  }

  async #exchange(frames: readonly string[], ids: readonly unknown[]): Promise<Outcome> {
    this.#frames = [];
    this.#answers = new Map();
    this.#fence += 1;
    const fence = `fence-${this.#fence}`;
    for (const frame of frames) this.#socket.send(frame);
    this.#socket.send(
      JSON.stringify({ jsonrpc: '2.0', id: fence, method: 'ping', params: { channel: 'ahp-root://' } }),
    );
    const wanted = [...ids, fence];
    let settled = 0;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        const open = wanted.filter((id) => !this.#answers.has(id));
        reject(
          new Error(`neither answered nor dropped within ${LIMIT_MS} ms: ${open.slice(0, 5).join(', ')}`),
        );
      }, LIMIT_MS);
      this.#onNews = () => {
        while (settled < wanted.length && this.#answers.has(wanted[settled])) settled += 1;
        if (settled < wanted.length && this.isOpen) return;
        clearTimeout(timer);
        resolve();
      };
      this.#onNews();
    });
    this.#onNews = () => undefined;
    return { answers: this.#answers, frames: this.#frames, closedWith: this.#closedWith };
  }

  close(): void {
    this.#socket.terminate();
  }
}
