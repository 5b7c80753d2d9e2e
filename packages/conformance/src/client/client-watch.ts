import type { CloseInfo } from '@agenthost/rpc';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { CheckResult } from '../kit/verdict.ts';
import { type Direction, type FrameEntry, isObject, parsed } from '../recording/entry.ts';
import { recordServerTransport } from '../recording/record-transport.ts';
import { withoutSecrets } from '../recording/secrets.ts';
import { CLIENT_RULES } from './client-rules.ts';

/** Frames kept of each connection; older ones are dropped. */
const MAX_FRAMES = 20_000;

/** Time limits of a {@link ClientWatch}, in milliseconds. */
export interface ClientWatchOptions {
  /** From a client's first handshake until its connection is dropped. */
  readonly dropAfterMs: number;
  /** For a client to reconnect, and without any connection until the watch ends. */
  readonly patienceMs: number;
  /** Called when every client has left. */
  onLeft(): void;
}

/** Watches what clients send to a host, drops the first connection once, and reports. */
export class ClientWatch {
  readonly #options: ClientWatchOptions;
  readonly #connections: FrameEntry[][] = [];
  readonly #open = new Set<number>();
  #dropped: { readonly clientId: unknown; readonly connection: number } | undefined;
  #dropTimer: NodeJS.Timeout | undefined;
  #leaveTimer: NodeJS.Timeout | undefined;

  constructor(options: ClientWatchOptions) {
    this.#options = options;
  }

  /** For `wrapTransport` of a host. */
  wrap(transport: ServerTransport): ServerTransport {
    const wrapped = recordServerTransport(transport, {
      connectionOpened: () => this.#opened(),
      frame: (connection, direction, text) => this.#frame(connection, direction, text, transport),
      connectionClosed: (connection, info) => this.#closed(connection, info),
    });
    return wrapped;
  }

  /** Ends the timers. */
  stop(): void {
    clearTimeout(this.#dropTimer);
    clearTimeout(this.#leaveTimer);
  }

  /** Name and version of the first client, from its handshake; `undefined` if the client sent none, or if no client has connected. */
  get clientName(): string | undefined {
    for (const { message } of this.#connections.flat()) {
      const params = message?.['method'] === 'initialize' ? message['params'] : undefined;
      const info = isObject(params) ? params['clientInfo'] : undefined;
      if (isObject(info) && typeof info['name'] === 'string')
        return typeof info['version'] === 'string' ? `${info['name']} ${info['version']}` : info['name'];
    }
    return undefined;
  }

  /** The verdicts about everything that was sent so far. */
  results(): CheckResult[] {
    const version = this.#version();
    const results = CLIENT_RULES.map(({ rules, title, broken }): CheckResult => {
      const found = this.#connections.map((frames) => broken(frames)).find((each) => each !== undefined);
      const verdict =
        this.#connections.length === 0 ? 'does not apply' : found === undefined ? 'passed' : 'failed';
      const reason = this.#connections.length === 0 ? 'no client connected' : found?.reason;
      return {
        rules,
        title,
        version,
        verdict,
        ...(reason !== undefined && { reason }),
        frames: found?.frames ?? [],
        durationMs: 0,
      };
    });
    return [...results, this.#return(version)];
  }

  /** Whether the client came back after its connection was dropped. */
  #return(version: string): CheckResult {
    const head = {
      rules: ['CONN-5', 'CONN-7'],
      title: 'the client comes back after a lost connection',
      version,
      durationMs: 0,
    };
    const dropped = this.#dropped;
    if (dropped === undefined)
      return { ...head, verdict: 'does not apply', reason: 'no connection was dropped', frames: [] };
    const later = this.#connections.slice(dropped.connection).flat();
    const back = later.filter(({ message }) => {
      const params = message?.['params'];
      const isHandshake = message?.['method'] === 'reconnect' || message?.['method'] === 'initialize';
      return isHandshake && isObject(params) && params['clientId'] === dropped.clientId;
    });
    if (back.length > 0) return { ...head, verdict: 'passed', frames: back.slice(0, 2) };
    return {
      ...head,
      verdict: 'failed',
      reason: 'no handshake with the same clientId came',
      frames: later.slice(0, 4),
    };
  }

  #version(): string {
    for (const { message } of this.#connections.flat()) {
      const result = message?.['result'];
      if (isObject(result) && typeof result['protocolVersion'] === 'string') return result['protocolVersion'];
    }
    return 'none';
  }

  #opened(): number {
    clearTimeout(this.#leaveTimer);
    this.#connections.push([]);
    this.#open.add(this.#connections.length);
    return this.#connections.length;
  }

  #frame(connection: number, direction: Direction, text: string, transport: ServerTransport): void {
    const frames = this.#connections[connection - 1];
    if (frames === undefined) return;
    const message = withoutSecrets(parsed(text));
    frames.push({ timeMs: Date.now(), connection, direction, ...(isObject(message) && { message }) });
    if (frames.length > MAX_FRAMES) frames.splice(0, frames.length - MAX_FRAMES);
    const params = isObject(message) && message['method'] === 'initialize' ? message['params'] : undefined;
    if (this.#dropTimer !== undefined || direction === 'host-to-client' || !isObject(params)) return;
    this.#dropTimer = setTimeout(() => {
      if (!this.#open.has(connection)) return;
      this.#dropped = { clientId: params['clientId'], connection };
      transport.terminate();
    }, this.#options.dropAfterMs);
  }

  #closed(connection: number, _info: CloseInfo): void {
    this.#open.delete(connection);
    if (this.#open.size > 0) return;
    clearTimeout(this.#leaveTimer);
    this.#leaveTimer = setTimeout(() => this.#options.onLeft(), this.#options.patienceMs);
  }
}
