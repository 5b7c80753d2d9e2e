import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type AhpClient, connect, type SessionHandle } from '@agenthost/client';
import { connectPinned } from '@agenthost/client/pinned';
import type { SessionPort } from '@agenthost/protocol';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { MemoryJournal } from '../src/journal/memory/memory-journal.ts';
import { silentLog } from '../src/lib/log.ts';
import { createHost, type Host } from '../src/main/create-host.ts';
import type { HostAddress, HostOptions, ListenOptions } from '../src/main/options.ts';
import { systemPortScanner } from '../src/previews/system-port-scanner.ts';
import { PuppetAgent } from './puppet-agent.ts';

const PROGRAM = fileURLToPath(new URL('preview-program.ts', import.meta.url));

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A browser's place in a preview. */
export interface SignedIn {
  /** `Host` of the preview. */
  readonly host: string;
  readonly origin: string;
  readonly cookie: string;
}

/** A host that listens, with real terminals, and a client with a session. */
export class PreviewStage {
  readonly agent = new PuppetAgent();
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-previews-')));
  host: Host | undefined;
  address: HostAddress | undefined;
  #client: AhpClient | undefined;
  #session: SessionHandle | undefined;
  #terminalCount = 0;

  static async start(listen: ListenOptions = {}, options: Partial<HostOptions> = {}): Promise<PreviewStage> {
    const stage = new PreviewStage();
    const scanner = systemPortScanner();
    if (scanner === undefined) throw new Error('ports of this system cannot be found');
    const host = createHost({
      journal: new MemoryJournal(),
      agents: [() => stage.agent],
      roots: [stage.folder],
      defaultDirectory: stage.folder,
      terminals: { keeper: false, shell: '/bin/sh', shellIntegration: false },
      listen: { port: 0, token: 'owner-token-of-sixteen', ...listen },
      log: silentLog,
      portScanner: { intervalMs: 100, scan: (input) => scanner.scan(input) },
      ...options,
    });
    stage.host = host;
    onTestFinished(async () => {
      await host.stop();
      rmSync(stage.folder, { recursive: true, force: true });
    });
    stage.address = await host.start();
    stage.#client = await stage.connect();
    stage.#session = await stage.#client.sessions.create();
    return stage;
  }

  get client(): AhpClient {
    if (this.#client === undefined) throw new Error('no client');
    return this.#client;
  }

  get session(): SessionHandle {
    if (this.#session === undefined) throw new Error('no session');
    return this.#session;
  }

  /** The port that all previews share. */
  get previewPort(): number {
    return this.address?.previewPort ?? 0;
  }

  async connect(token = 'owner-token-of-sixteen'): Promise<AhpClient> {
    const { port, certificate } = this.address ?? {};
    const client =
      certificate === undefined
        ? await connect(`http://127.0.0.1:${port}`, { token })
        : await connectPinned(`https://127.0.0.1:${port}`, {
            token,
            fingerprints: [certificate.fingerprint],
          });
    onTestFinished(() => client.close());
    return client;
  }

  /** Runs a command in a terminal of a session; resolves with the terminal's URI. */
  async run(command: readonly [string, ...string[]], session = this.session): Promise<string> {
    this.#terminalCount += 1;
    const channel = `ahp-terminal:/p${this.#terminalCount}`;
    await this.client.request('createTerminal', {
      channel,
      cwd: pathToFileURL(this.folder).href,
      claim: { kind: 'session', session: session.uri, chat: session.chat.mirror.uri },
      'x-command': [...command],
    });
    return channel;
  }

  /** Starts the program in a terminal; resolves with its port when the session shows it. */
  async program(
    args: readonly string[] = [],
    session = this.session,
  ): Promise<SessionPort & { terminal: string }> {
    const before = new Set(session.ports.map(({ port }) => port));
    const terminal = await this.run([process.execPath, PROGRAM, ...args], session);
    const shown = await this.until(() => session.ports.find(({ port }) => !before.has(port)));
    return { ...shown, terminal };
  }

  /** Resolves with the first value that is defined. */
  async until<T>(read: () => T | undefined): Promise<T> {
    let found: T | undefined;
    await expect
      .poll(
        () => {
          found = read();
          return found;
        },
        { timeout: 20_000, interval: 20 },
      )
      .toBeDefined();
    if (found === undefined) throw new Error('nothing was found');
    return found;
  }

  /** A request to the port of previews. */
  async ask(
    host: string,
    path: string,
    { method = 'GET', headers = {}, body }: { method?: string; headers?: object; body?: string } = {},
    port = this.previewPort,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const send = this.address?.certificate === undefined ? request : secureRequest;
      const sent = send(
        {
          ...{ host: '127.0.0.1', port, path, method },
          ...{ headers: { host, ...headers }, agent: false, rejectUnauthorized: false },
        },
        (response) => {
          text(response).then(
            (read) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: read }),
            reject,
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Opens a preview as a browser does. */
  async signIn(port: number, client = this.client): Promise<SignedIn> {
    const { url } = await client.sessions.openPreview(this.session.uri, port);
    const { host, origin, pathname, search, port: at } = new URL(url);
    const answer = await this.ask(host, `${pathname}${search}`, {}, Number(at));
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe('/');
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    return { host, origin, cookie: cookie.split(';', 1)[0] ?? '' };
  }

  /** A request of a signed-in browser. */
  asked(
    { host, cookie }: SignedIn,
    path: string,
    { headers = {}, ...options }: { method?: string; headers?: object; body?: string } = {},
  ): Promise<Answer> {
    return this.ask(host, path, { ...options, headers: { cookie, ...headers } }, Number(host.split(':')[1]));
  }

  /** A WebSocket through a preview. */
  socket({ host, origin, cookie }: SignedIn, path = '/', headers: Record<string, string> = {}): WebSocket {
    const socket = new WebSocket(`ws://127.0.0.1:${host.split(':')[1]}${path}`, {
      headers: { host, origin, cookie, ...headers },
    });
    socket.on('error', () => undefined);
    onTestFinished(() => socket.terminate());
    return socket;
  }
}

/** The headers that the program got, by name in lower case; repeated ones are joined. */
export function gotHeaders({ body }: Answer): Record<string, string> {
  const { rawHeaders }: { rawHeaders: string[] } = JSON.parse(body);
  const got: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    got[name] = name in got ? `${got[name]}, ${value}` : value;
  }
  return got;
}
