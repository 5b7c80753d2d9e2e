import { once } from 'node:events';
import { type RawData, WebSocket } from 'ws';

/** A frame of the host. */
export interface Answer {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A WebSocket that sends arbitrary text. */
export class RudeClient {
  readonly socket: WebSocket;
  readonly answers: Answer[] = [];
  readonly closed: Promise<number>;
  answerCount = 0;
  #clientSeq = 0;
  #onAnswer: () => void = () => undefined;
  #nextId = 1_000_000_000;

  private constructor(socket: WebSocket, keepsAnswers: boolean) {
    this.socket = socket;
    socket.on('error', () => undefined); // Followed by 'close'.
    this.closed = once(socket, 'close').then(([code]) => Number(code));
    socket.on('message', (data: RawData) => {
      this.answerCount += 1;
      if (keepsAnswers) this.answers.push(JSON.parse(String(data)));
      this.#onAnswer();
    });
  }

  static async connect(
    { wsUrl, token }: { wsUrl: string; token: string },
    keepsAnswers = true,
  ): Promise<RudeClient> {
    const socket = new WebSocket(wsUrl, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    });
    const client = new RudeClient(socket, keepsAnswers);
    await once(socket, 'open');
    return client;
  }

  /** Sends text unchanged, and waits for the next answer. */
  async answerTo(text: string): Promise<Answer | undefined> {
    const before = this.answers.length;
    const next = new Promise<void>((resolve) => {
      this.#onAnswer = () => {
        if (this.answers.length > before) resolve();
      };
    });
    this.socket.send(text);
    await next;
    return this.answers[before];
  }

  /** Sends a well-formed request. Resolves with its answer. */
  async request(method: string, params: object): Promise<Answer> {
    this.#nextId += 1;
    const id = this.#nextId;
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve) => {
      this.#onAnswer = () => {
        const answer = this.answers.find((each) => each.id === id);
        if (answer !== undefined) resolve(answer);
      };
      this.#onAnswer();
    });
  }

  /** Sends a well-formed dispatch, without waiting for its outcome. */
  dispatch(channel: string, action: object): void {
    this.#clientSeq += 1;
    const params = { channel, clientSeq: this.#clientSeq, action };
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'dispatchAction', params }));
  }

  async initialize(clientId: string): Promise<Answer> {
    return this.request('initialize', { channel: 'ahp-root://', protocolVersions: ['1.0.0'], clientId });
  }

  /** Resolves with the milliseconds until a ping is answered. */
  async pingMs(): Promise<number> {
    const start = performance.now();
    await this.request('ping', { channel: 'ahp-root://' });
    return performance.now() - start;
  }

  async close(): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }
}
