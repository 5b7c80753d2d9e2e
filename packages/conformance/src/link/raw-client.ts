import { setTimeout as wait } from 'node:timers/promises';
import type { CloseInfo, Transport } from '@agenthost/rpc';
import { Violation } from '../kit/verdict.ts';
import { type FrameEntry, isObject, type Message, shown } from '../recording/entry.ts';

/** The answer to a request. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: unknown; readonly message: unknown; readonly data?: unknown };
  readonly frame: FrameEntry;
}

/** A received envelope. */
export interface Envelope {
  readonly channel: string;
  readonly action: Message;
  readonly serverSeq: number;
  readonly origin?: Message;
  readonly rejectionReason?: unknown;
  readonly frame: FrameEntry;
}

/** The URI of the root channel. */
export const ROOT = 'ahp-root://';

/**
 * A client without own rules: it sends any frame, keeps every received frame, and waits for the frames that a check expects. It applies no
 * reducer and checks no shape.
 */
export class RawClient {
  readonly clientId: string;
  readonly connection: number;
  /** Every frame of this connection, in order. */
  readonly frames: FrameEntry[] = [];
  /** How the connection ended; `undefined` while it is open. */
  closedBy: CloseInfo | undefined;
  readonly #transport: Transport;
  readonly #patienceMs: number;
  readonly #waiting = new Set<() => void>();
  #nextId = 1;
  #nextSeq = 1;

  constructor(
    transport: Transport,
    { clientId, connection, patienceMs }: { clientId: string; connection: number; patienceMs: number },
  ) {
    this.#transport = transport;
    this.clientId = clientId;
    this.connection = connection;
    this.#patienceMs = patienceMs;
    transport.start({
      onFrame: (text) => this.#take(text),
      onClose: (info) => {
        this.closedBy = info;
        for (const wake of this.#waiting) wake();
      },
    });
  }

  /** Sends a request and resolves with its answer, whatever it is. Throws a {@link Violation} when none comes. */
  async request(method: string, params: object, id: string | number = this.#nextId): Promise<Answer> {
    this.#nextId += 1;
    this.send({ jsonrpc: '2.0', id, method, params: { channel: ROOT, ...params } });
    return this.#answerTo(id, method);
  }

  /** Sends a request that must succeed; resolves with its result. */
  async call(method: string, params: object): Promise<Message> {
    const { result, error, frame } = await this.request(method, params);
    if (error !== undefined)
      throw new Violation(`${method} failed with ${shown(error.code)}: ${shown(error.message)}`, [frame]);
    return isObject(result) ? result : {};
  }

  /** Sends a request that must fail with one of these codes. */
  async refused(method: string, params: object, ...codes: readonly number[]): Promise<Answer> {
    const answer = await this.request(method, params);
    this.expectCode(answer, method, ...codes);
    return answer;
  }

  expectCode({ error, frame }: Answer, method: string, ...codes: readonly number[]): void {
    const expected = codes.join(' or ');
    if (error === undefined)
      throw new Violation(`${method} succeeded; expected the error ${expected}`, [frame]);
    if (!codes.includes(Number(error.code)))
      throw new Violation(`${method} failed with ${shown(error.code)}; expected ${expected}`, [frame]);
  }

  /** Sends any text as a frame. */
  sendText(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      message = undefined;
    }
    this.#note('client-to-host', message);
    this.#transport.send(text);
  }

  send(message: object): void {
    this.sendText(JSON.stringify(message));
  }

  /** Dispatches an action; returns its number. */
  dispatch(channel: string, action: object): number {
    const clientSeq = this.#nextSeq;
    this.#nextSeq += 1;
    this.send({ jsonrpc: '2.0', method: 'dispatchAction', params: { channel, clientSeq, action } });
    return clientSeq;
  }

  /** Dispatches an action and waits for its echo, accepted or rejected. */
  async dispatched(channel: string, action: object): Promise<Envelope> {
    const clientSeq = this.dispatch(channel, action);
    return this.envelope(
      ({ origin }) => origin?.['clientId'] === this.clientId && origin['clientSeq'] === clientSeq,
      `the echo of ${'type' in action ? shown(action.type) : 'an action'}`,
    );
  }

  /** Dispatches an action that must be accepted. */
  async accepted(channel: string, action: object): Promise<Envelope> {
    const echo = await this.dispatched(channel, action);
    if (echo.rejectionReason !== undefined)
      throw new Violation(`${shown(echo.action['type'])} was rejected: ${shown(echo.rejectionReason)}`, [
        echo.frame,
      ]);
    return echo;
  }

  /** Dispatches an action that must be rejected, with a reason. */
  async rejected(channel: string, action: object): Promise<Envelope> {
    const echo = await this.dispatched(channel, action);
    if (typeof echo.rejectionReason !== 'string' || echo.rejectionReason === '')
      throw new Violation(`${shown(echo.action['type'])} came back without a rejectionReason`, [echo.frame]);
    return echo;
  }

  /** The snapshot's state and number of a channel, by `subscribe`. */
  async subscribe(
    channel: string,
    more: object = {},
  ): Promise<{ state: Message; fromSeq: number; frame: FrameEntry }> {
    const answer = await this.request('subscribe', { channel, ...more });
    const { result, error, frame } = answer;
    if (error !== undefined)
      throw new Violation(`subscribe failed with ${shown(error.code)}: ${shown(error.message)}`, [frame]);
    const snapshot = isObject(result) ? result['snapshot'] : undefined;
    if (!isObject(snapshot) || !isObject(snapshot['state']) || typeof snapshot['fromSeq'] !== 'number')
      throw new Violation(`subscribe to ${channel} returned no snapshot`, [frame]);
    return { state: snapshot['state'], fromSeq: snapshot['fromSeq'], frame };
  }

  unsubscribe(channel: string): void {
    this.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel } });
  }

  /** Waits until the host has settled everything sent so far, by a ping [WIRE-4]. */
  async settle(): Promise<void> {
    const { error, frame } = await this.request('ping', {});
    if (error !== undefined) throw new Violation(`ping failed with ${shown(error.code)}`, [frame]);
  }

  /** All envelopes received so far, those of replays excluded. */
  get envelopes(): Envelope[] {
    return this.frames.flatMap((frame) => envelopeOf(frame) ?? []);
  }

  /** The first envelope that matches, also among those received before. */
  envelope(fits: (envelope: Envelope) => boolean, what: string): Promise<Envelope> {
    return this.until(() => this.envelopes.find(fits), what);
  }

  /** The first envelope of a type on a channel, above a number. */
  action(channel: string, type: string, above = -1): Promise<Envelope> {
    return this.envelope(
      (envelope) =>
        envelope.channel === channel && envelope.action['type'] === type && envelope.serverSeq > above,
      `${type} on ${channel}`,
    );
  }

  /** The first notification of a method with matching params. */
  notification(method: string, fits: (params: Message) => boolean): Promise<FrameEntry> {
    return this.until(
      () =>
        this.frames.find(({ direction, message }) => {
          const params = message?.['params'];
          return (
            direction === 'host-to-client' &&
            message?.['method'] === method &&
            isObject(params) &&
            fits(params)
          );
        }),
      `the notification ${method}`,
    );
  }

  /** Waits until the host closes the connection. */
  async closed(what: string): Promise<CloseInfo> {
    return this.until(() => this.closedBy, `the end of the connection: ${what}`);
  }

  close(): void {
    this.#transport.close();
  }

  /** Waits for a value. Throws a {@link Violation} when it does not come in time. */
  async until<T>(find: () => T | undefined, what: string): Promise<T> {
    const endAt = performance.now() + this.#patienceMs;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.closedBy !== undefined)
        throw new Violation(
          `expected ${what}; the host closed the connection with ${this.closedBy.code}`,
          this.#newest(),
        );
      const leftMs = endAt - performance.now();
      if (leftMs <= 0)
        throw new Violation(
          `expected ${what}; nothing came in ${this.#patienceMs / 1_000} s`,
          this.#newest(),
        );
      await this.#change(leftMs);
    }
  }

  #newest(): FrameEntry[] {
    return this.frames.slice(-8);
  }

  async #change(leftMs: number): Promise<void> {
    const over = new AbortController();
    let wake: () => void = () => undefined;
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    await Promise.race([changed, wait(leftMs, undefined, { signal: over.signal }).catch(() => undefined)]);
    this.#waiting.delete(wake);
    over.abort();
  }

  async #answerTo(id: string | number, method: string): Promise<Answer> {
    const frame = await this.until(
      () =>
        this.frames.find(
          ({ direction, message }) =>
            direction === 'host-to-client' && message?.['id'] === id && message['method'] === undefined,
        ),
      `an answer to ${method}`,
    );
    const { result, error } = frame.message ?? {};
    if (!isObject(error)) return { result, frame };
    return { error: { code: error['code'], message: error['message'], data: error['data'] }, frame };
  }

  #take(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      message = undefined;
    }
    this.#note('host-to-client', message);
    // The kit publishes nothing, so it has nothing to answer with.
    if (isObject(message) && typeof message['method'] === 'string' && message['id'] !== undefined)
      this.send({
        jsonrpc: '2.0',
        id: message['id'],
        error: { code: -32601, message: 'Not served by this client' },
      });
    for (const wake of this.#waiting) wake();
  }

  #note(direction: FrameEntry['direction'], message: unknown): void {
    const head = { timeMs: Date.now(), connection: this.connection, direction };
    this.frames.push(isObject(message) ? { ...head, message } : head);
  }
}

/** The envelope in a frame. */
export function envelopeOf(frame: FrameEntry): Envelope | undefined {
  const { direction, message } = frame;
  if (direction !== 'host-to-client' || message?.['method'] !== 'action' || !isObject(message['params']))
    return undefined;
  const { channel, action, serverSeq, origin, rejectionReason } = message['params'];
  if (typeof channel !== 'string' || !isObject(action)) return undefined;
  return {
    channel,
    action,
    serverSeq: typeof serverSeq === 'number' ? serverSeq : Number.NaN,
    ...(isObject(origin) && { origin }),
    ...(rejectionReason !== undefined && { rejectionReason }),
    frame,
  };
}
