import { type AhpClient, createClient, type Mirror } from '@agenthost/client';
import type { ActionEnvelope } from '@agenthost/protocol';
import type { Transport } from '@agenthost/rpc';
import { connectWebSocket } from '@agenthost/rpc/websocket';
import { observeTransport } from '@agenthost/testkit';

const PATIENCE_MS = 60_000;

/** A client that records every envelope that it receives, and how it reconnected. */
export class Witness {
  readonly name: string;
  readonly client: AhpClient;
  /** Public envelopes since `forget`, in order of arrival. */
  seen: ActionEnvelope[] = [];
  /** Numbers of all private envelopes. */
  readonly privateNumbers = new Set<number>();
  /** Result of each reconnect. */
  readonly reconnects: string[] = [];
  session: Mirror<'session'> | undefined;
  chat: Mirror<'chat'> | undefined;
  onSeen: () => void = () => undefined;
  /** While true, frames of the host are dropped here, like frames in flight when the connection breaks. */
  isDeaf = false;

  /** `wsUrl` is called at each attempt. */
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

  /** Subscribes to a session and its chat. `maxLatencyMs` makes the host merge output. */
  async watch(session: string, maxLatencyMs?: number): Promise<void> {
    this.session = await this.client.subscribe(session, { kind: 'session' });
    const chat = this.session.state.defaultChat ?? '';
    this.chat = await this.client.subscribe(chat, { kind: 'chat', maxLatencyMs });
  }

  /** Resolves when the connection has closed, and so all frames that could arrive have arrived. */
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

  /** Resolves when the client is connected again and has received everything that the host had for it. */
  async back(): Promise<void> {
    await this.client.whenOnline();
    await this.client.ping();
  }

  /** Forgets recorded envelopes. */
  forget(): void {
    this.seen = [];
  }

  /** Resolves when `check` holds. Checks after every envelope, and rejects after a minute with the text of `what`. */
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
    // Runs after the client has handled the frame.
    queueMicrotask(() => this.onSeen());
  }
}
