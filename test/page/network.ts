import type { BrowserContext, WebSocketRoute } from 'playwright-core';

/** The network of a browser, which can be cut. Chromium's own emulation leaves open WebSockets alone. */
export class Network {
  readonly #context: BrowserContext;
  readonly #open = new Set<WebSocketRoute>();
  #isCut = false;

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

  /** Lets connections through again. */
  async mend(): Promise<void> {
    this.#isCut = false;
    await this.#context.setOffline(false);
  }

  async #connect(socket: WebSocketRoute): Promise<void> {
    if (this.#isCut) return socket.close({ code: 3001 });
    this.#open.add(socket);
    socket.connectToServer();
  }
}
