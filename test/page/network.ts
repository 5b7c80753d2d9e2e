import type { BrowserContext, WebSocketRoute } from 'playwright-core';

/** The network of a browser, which can be cut. Chromium's own emulation leaves open WebSockets alone. */
export class Network {
  readonly #context: BrowserContext;
  readonly #open = new Set<WebSocketRoute>();
  #isCut = false;
  #isSilent = false;
  /** Sends the messages that are held back, in order. Absent: messages pass. */
  #held: (() => void)[] | undefined;

  private constructor(context: BrowserContext) {
    this.#context = context;
  }

  /** Watches the connections that pages of a browser open from now on. */
  static async of(context: BrowserContext): Promise<Network> {
    const network = new Network(context);
    await context.routeWebSocket(/.*/, (socket) => network.#connect(socket));
    return network;
  }

  /** Ends all connections, and fails new ones. */
  async cut(): Promise<void> {
    this.#isCut = true;
    await this.#context.setOffline(true);
    await Promise.all(Array.from(this.#open, (socket) => socket.close({ code: 3001 })));
    this.#open.clear();
  }

  /** Loses all messages, while connections look open, and reports that the browser is offline. */
  async silence(): Promise<void> {
    this.#isSilent = true;
    await this.#context.setOffline(true);
  }

  /** Holds back messages to pages until `release`. Messages of pages still reach the host. */
  hold(): void {
    this.#held ??= [];
  }

  /** Delivers the messages that were held back, and holds no more. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const send of held) send();
  }

  /** Lets connections through again. */
  async mend(): Promise<void> {
    this.#isCut = false;
    this.#isSilent = false;
    await this.#context.setOffline(false);
  }

  async #connect(socket: WebSocketRoute): Promise<void> {
    if (this.#isCut || this.#isSilent) return socket.close({ code: 3001 });
    this.#open.add(socket);
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      if (!this.#isSilent) server.send(message);
    });
    server.onMessage((message) => {
      if (this.#isSilent) return;
      if (this.#held === undefined) socket.send(message);
      else this.#held.push(() => socket.send(message));
    });
  }
}
