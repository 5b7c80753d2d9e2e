import { type AhpClient, createClient, type Mirror } from '@agenthost/client';
import type { ActionEnvelope } from '@agenthost/protocol';
import type { Transport } from '@agenthost/rpc';
import { connectWebSocket } from '@agenthost/rpc/websocket';
import { observeTransport } from '@agenthost/testkit';

const PATIENCE_MS = 20_000;

/** A client that remembers every envelope it was sent and how it came back. */
export class Witness {
  readonly name: string;
  readonly client: AhpClient;
  /** Public envelopes since `forget`, in the order they came. */
  seen: ActionEnvelope[] = [];
  /** Numbers of private envelopes, all of them. */
  readonly privateNumbers = new Set<number>();
  /** How it came back, each time. */
  readonly reconnects: string[] = [];
  session: Mirror<'session'> | undefined;
  chat: Mirror<'chat'> | undefined;
  onSeen: () => void = () => undefined;
  /** While true nothing that the host sends arrives here, as when it is under way while the connection breaks. */
  isDeaf = false;

  /** `wsUrl` is asked for at each attempt. */
  constructor(name: string, wsUrl: () => string) {
    this.name = name;
    this.client = createClient({
      clientId: name,
      backoff: { minMs: 20, maxMs: 100 },
      transport: async (signal) =>
        observeTransport(this.#muffled(await connectWebSocket(wsUrl(), { signal })), {
          envelope: (envelope) => this.#note(envelope),
          reconnected: (type) => this.reconnects.push(type),
          initialized: () => this.reconnects.push('initialize'),
        }),
    });
  }

  /** Looks at a session and its chat; `maxLatencyMs` makes the host merge output. */
  async watch(session: string, maxLatencyMs?: number): Promise<void> {
    this.session = await this.client.subscribe(session, { kind: 'session' });
    const chat = this.session.state.defaultChat ?? '';
    this.chat = await this.client.subscribe(chat, { kind: 'chat', maxLatencyMs });
  }

  /** Resolves when the connection is gone: what was on its way has been received by now, or never will be. */
  offline(): Promise<void> {
    return new Promise((resolve) => {
      if (this.client.status.state !== 'online') return resolve();
      const stop = this.client.onStatus(({ state }) => {
        if (state === 'online') return;
        stop();
        resolve();
      });
    });
  }

  /** Resolves when it is connected again and holds all that the host had for it. */
  async back(): Promise<void> {
    await this.client.whenOnline();
    await this.client.ping();
  }

  /** Starts to count anew. */
  forget(): void {
    this.seen = [];
  }

  /** Resolves once `check` holds; looks after every envelope, and gives up after 20 s. `what` is said then. */
  until(check: () => boolean, what: () => string = () => 'something'): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = setTimeout(
        () =>
          reject(
            new Error(`${this.name} waits in vain for ${what()}, with ${this.seen.length} envelopes seen`),
          ),
        PATIENCE_MS,
      );
      const look = (): void => {
        if (!check()) return;
        clearTimeout(giveUp);
        this.onSeen = () => undefined;
        resolve();
      };
      this.onSeen = look;
      look();
    });
  }

  #muffled(transport: Transport): Transport {
    return {
      get bufferedBytes() {
        return transport.bufferedBytes;
      },
      send: (text) => transport.send(text),
      close: (code, reason) => transport.close(code, reason),
      start: ({ onFrame, onClose }) =>
        transport.start({
          onFrame: (text) => {
            if (!this.isDeaf) onFrame(text);
          },
          onClose,
        }),
    };
  }

  #note(envelope: ActionEnvelope): void {
    if (envelope.rejectionReason === undefined) this.seen.push(envelope);
    else this.privateNumbers.add(envelope.serverSeq);
    // Behind the client's own handling.
    queueMicrotask(() => this.onSeen());
  }
}
