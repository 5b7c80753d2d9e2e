import { type AhpClient, createClient } from '@agenthost/client';
import type { Transport } from '@agenthost/rpc';
import { connectWebSocket } from '@agenthost/rpc/websocket';

/** A program that uses the client library, over a connection that the test controls. */
export class Script {
  readonly client: AhpClient;
  readonly #held: (() => void)[] = [];
  #isHeld = false;
  #open: Transport | undefined;
  /** An attempt to connect waits for this gate. */
  #gate: PromiseWithResolvers<void> | undefined;

  /** `wsUrl` returns a URL with a token, and is called at each attempt. */
  constructor(clientId: string, wsUrl: () => string) {
    this.client = createClient({
      clientId,
      backoff: { minMs: 20, maxMs: 100 },
      transport: async (signal) => {
        await this.#gate?.promise;
        this.#open = await connectWebSocket(wsUrl(), { signal });
        return this.#holding(this.#open);
      },
    });
  }

  /** Holds everything that the host sends until `release`. Messages to the host still pass. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Delivers the held messages in order. */
  release(): void {
    this.#isHeld = false;
    for (const deliver of this.#held.splice(0)) deliver();
  }

  /** Breaks the connection and prevents a new one until `online`. Resolves when the client has noticed. */
  async offline(): Promise<void> {
    this.#gate = Promise.withResolvers<void>();
    this.#open?.close(4_000, 'the cable was pulled');
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (this.client.status.state === 'online') return;
        stop();
        resolve();
      };
      const stop = this.client.onStatus(look);
      look();
    });
  }

  /** Resolves when the client is connected again and has received everything that the host had for it. */
  async online(): Promise<void> {
    this.#gate?.resolve();
    this.#gate = undefined;
    await this.client.whenOnline();
    await this.client.ping();
  }

  #holding(transport: Transport): Transport {
    return {
      get bufferedBytes() {
        return transport.bufferedBytes;
      },
      send: (text) => transport.send(text),
      close: (code, reason) => transport.close(code, reason),
      start: ({ onFrame, onClose }) =>
        transport.start({
          onFrame: (text) => {
            if (this.#isHeld) this.#held.push(() => onFrame(text));
            else onFrame(text);
          },
          onClose,
        }),
    };
  }
}
