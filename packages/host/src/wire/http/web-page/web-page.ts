import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../../lib/log.ts';
import { keepConnection } from '../kept-connections.ts';
import { answer, hasMethod, methodRefusal, READS } from '../plain-http.ts';
import type { RequestView } from '../request-view.ts';
import { acceptedEncodings, contentTypeOf } from './content-types.ts';
import { type PageFile, PageFiles } from './page-files.ts';
import { pagePolicy } from './page-policy.ts';
import { viewPolicy } from './view-policy.ts';

const INDEX = '/index.html';

/** The frame for views of MCP servers. */
const VIEW_FRAME = '/mcp-view.html';

/** Vite puts the hash of the content into the names of these files. */
const HASHED = '/assets/';

/** Paths of the host that are no route of the page. */
const RESERVED = new Set(['/ahp', '/healthz', '/readyz', '/sign-in', '/sign-in/state', '/logout']);

/** Time without progress until an answer is cut off, in ms. */
const SEND_TIMEOUT_MS = 30_000;

/** Inputs of the web page. */
export interface WebPageParts {
  /** Absolute path of the folder with `index.html`. */
  readonly folder: string;
  /** Origins of the other hosts that the page may connect to. */
  pageHosts(): readonly string[];
  readonly log: Log;
}

/** Serves the files of the web page. They need no token: the page asks for one. */
export class WebPage {
  readonly #parts: WebPageParts;
  readonly #files: PageFiles;

  constructor(parts: WebPageParts) {
    this.#parts = parts;
    this.#files = new PageFiles(parts.folder);
  }

  /** Answers a request for a route of the page. Header fields that are already set stay. */
  serveIndex(request: IncomingMessage, response: ServerResponse, view: RequestView): void {
    this.#answering(response, this.#sendIndex(request, response, view));
  }

  /** Answers a request for a file, or with 404. */
  serveFile(request: IncomingMessage, response: ServerResponse, view: RequestView): void {
    if (!hasMethod(request, READS)) answer(response, methodRefusal(READS));
    else if (view.path === INDEX) this.serveIndex(request, response, view);
    else this.#answering(response, this.#sendFile(request, response, view));
  }

  #answering(response: ServerResponse, sent: Promise<void>): void {
    response.setTimeout(SEND_TIMEOUT_MS, () => void response.destroy());
    sent.catch((error: unknown) => {
      this.#parts.log.error({ error }, 'a file of the web page cannot be read');
      if (response.headersSent) response.destroy();
      else answer(response, { status: 500, reason: 'a file of the web page cannot be read' });
    });
  }

  async #sendIndex(request: IncomingMessage, response: ServerResponse, view: RequestView): Promise<void> {
    const file = await this.#files.find(INDEX);
    if (file === undefined) return answer(response, NOT_BUILT);
    const nonce = randomBytes(16).toString('base64url');
    const html = file.bytes
      .toString('utf8')
      .replaceAll('__CSP_NONCE__', () => nonce)
      .replaceAll('__BASE_PATH__', () => escapeHtml(`${view.base}/`));
    const policy = pagePolicy({ view, pageHosts: this.#parts.pageHosts(), nonce });
    response.setHeader('content-security-policy', policy);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    send(request, response, Buffer.from(html));
  }

  async #sendFile(request: IncomingMessage, response: ServerResponse, view: RequestView): Promise<void> {
    const { path } = view;
    const type = contentTypeOf(path);
    const file = type === undefined ? undefined : await this.#files.find(path);
    if (type === undefined || file === undefined) return answer(response, NO_FILE);
    const { encoding, sent } = await this.#encoded(request, path, file);
    response.setHeaders(
      new Map([
        [
          'content-security-policy',
          path === VIEW_FRAME
            ? viewPolicy({ url: request.url, host: view.publicHost, pageHosts: this.#parts.pageHosts() })
            : pagePolicy({ view, pageHosts: this.#parts.pageHosts() }),
        ],
        ['cache-control', path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache'],
        ['content-type', type],
        ['etag', sent.etag],
        ['vary', 'accept-encoding'],
        ...(encoding === undefined ? [] : [['content-encoding', encoding] as const]),
        ...(path === '/sw.js' ? [['service-worker-allowed', `${view.base}/`] as const] : []),
      ]),
    );
    if (path === VIEW_FRAME) {
      response.removeHeader('x-frame-options');
      response.setHeader('x-dns-prefetch-control', 'off');
    }
    if (isKnown(request.headers['if-none-match'], sent.etag)) {
      keepConnection(request, response);
      response.writeHead(304).end();
    } else send(request, response, sent.bytes);
  }

  /** The compressed neighbour of a file that the client accepts, else the file. */
  async #encoded(
    { headers }: IncomingMessage,
    path: string,
    file: PageFile,
  ): Promise<{ readonly encoding?: string; readonly sent: PageFile }> {
    for (const [encoding, ending] of acceptedEncodings(headers['accept-encoding'])) {
      const sent = await this.#files.find(`${path}${ending}`);
      if (sent !== undefined) return { encoding, sent };
    }
    return { sent: file };
  }
}

/** Whether a path is a route of the page: no path of the host, and without the ending of a file. */
export const isRoute = (path: string): boolean =>
  !RESERVED.has(path) && !path.startsWith(HASHED) && !/^\/[/\\]/.test(path) && !/\.\w{1,11}$/.test(path);

/** Whether a browser loads a document. Browsers without the header accept HTML. */
export const isNavigation = (request: IncomingMessage): boolean => {
  const { accept = '', 'sec-fetch-dest': destination } = request.headers;
  const isDocument = destination === undefined ? accept.includes('text/html') : destination === 'document';
  return isDocument && hasMethod(request, READS);
};

/** A client that has the file asks with its validator; a proxy may have made it weak. */
const isKnown = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((each) => each.trim().replace(/^W\//, '') === etag);

function send(request: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
  keepConnection(request, response);
  response.writeHead(200, { 'content-length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');

const NO_FILE = { status: 404, reason: 'this file does not exist' } as const;

const NOT_BUILT = {
  status: 503,
  reason:
    'the files of the web page are missing: install agenthost again, or run `npm run build` in its sources',
} as const;
