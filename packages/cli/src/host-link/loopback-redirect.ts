import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The parameters of the redirect. */
export interface ReturnedCode {
  readonly code?: string;
  readonly iss?: string;
  /** Why there is no code. */
  readonly error?: string;
}

const PAGE = (text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>agenthost</title><p>${text}</p></html>`;

/** A server on loopback that a browser returns to after a sign-in (RFC 8252). */
export class LoopbackRedirect {
  readonly #server: Server;
  readonly #waiting = new Map<string, (returned: ReturnedCode) => void>();

  private constructor() {
    this.#server = createServer(({ url = '/', method }, response) => {
      // Any page of a browser can send any path.
      const { pathname, searchParams: query } = URL.parse(url, this.uri) ?? new URL('about:blank');
      const take = this.#waiting.get(query.get('state') ?? '');
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.setHeader('connection', 'close');
      if (method !== 'GET' || pathname !== '/back' || take === undefined) {
        response.writeHead(404).end(PAGE('agenthost is not waiting for this sign-in.'));
        return;
      }
      response.end(PAGE('You can close this window. agenthost continues in your terminal.'));
      const [code, iss] = [query.get('code'), query.get('iss')];
      const reason = [query.get('error'), query.get('error_description')].filter((each) => each !== null);
      if (code === null || reason.length > 0) take({ error: reason.join(': ') || 'the server sent no code' });
      else take({ code, ...(iss === null ? {} : { iss }) });
    });
  }

  /** Listens on a free port of 127.0.0.1. */
  static async open(): Promise<LoopbackRedirect> {
    const made = new LoopbackRedirect();
    await new Promise<void>((resolve, reject) => {
      made.#server.once('error', reject);
      made.#server.listen(0, '127.0.0.1', resolve);
    });
    return made;
  }

  /** `http://127.0.0.1:<port>/back`. */
  get uri(): string {
    // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- it listens on a port
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/back`;
  }

  /** Waits for the browser with this `state`, at most `limitMs`. Other states are answered with 404. */
  returned(state: string, limitMs: number): Promise<ReturnedCode> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => end({ error: 'the sign-in was not completed in time' }), limitMs);
      const end = (returned: ReturnedCode): void => {
        clearTimeout(timer);
        this.#waiting.delete(state);
        resolve(returned);
      };
      this.#waiting.set(state, end);
    });
  }

  /** Ends all connections. Browsers open some that they do not use. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}
