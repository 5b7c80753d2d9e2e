import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import type { Transport } from '@agenthost/rpc';
import { RawClient, ROOT } from '../link/raw-client.ts';
import { type FrameEntry, isObject, type Message } from '../recording/entry.ts';
import { NotApplicable, Violation } from './verdict.ts';

/** The facts about a host from the handshake and the root channel. */
export interface HostFacts {
  /** Result of `initialize`. */
  readonly initialized: Message;
  readonly root: Message;
  /** The agent that checks use; `undefined`: the host has none. */
  readonly agent: Message | undefined;
  /** Whether that agent is the demo agent of agenthost, which follows scripts. */
  readonly isScripted: boolean;
}

/** Options of every check. */
export interface BenchOptions {
  open(signal: AbortSignal): Promise<Transport>;
  readonly version: string;
  readonly patienceMs: number;
  /** Absolute path of a folder on the host's machine, for sessions and files. */
  readonly folder: string;
  readonly agent?: string | undefined;
  readonly signal: AbortSignal;
}

/** A session that a check made. */
export interface MadeSession {
  readonly session: string;
  readonly chat: string;
  /** State of the session at the first subscription. */
  readonly state: Message;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Ids of versions as numbers, for comparisons. */
const ranks = (version: string): readonly number[] => version.split('.').map(Number);

/** Whether a version is at least another one. */
export function isAtLeast(version: string, least: string): boolean {
  const [have, want] = [ranks(version), ranks(least)];
  for (const [index, number] of want.entries())
    if (have[index] !== number) return (have[index] ?? 0) > number;
  return true;
}

/** Connections and sessions of one check. They are closed and disposed of at its end. */
export class Bench {
  readonly version: string;
  readonly facts: HostFacts;
  readonly clients: RawClient[] = [];
  readonly #options: BenchOptions;
  readonly #sessions: string[] = [];
  readonly #terminals: string[] = [];

  constructor(options: BenchOptions, facts: HostFacts) {
    this.#options = options;
    this.version = options.version;
    this.facts = facts;
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  get folder(): string {
    return this.#options.folder;
  }

  get folderUri(): string {
    return pathToFileURL(this.folder).href;
  }

  /** A random text for ids. */
  newId(): string {
    return randomBytes(8).toString('hex');
  }

  /** All frames of the check by time. */
  get frames(): FrameEntry[] {
    return this.clients.flatMap(({ frames }) => frames).toSorted((a, b) => a.timeMs - b.timeMs);
  }

  /** Ends the check unless the version is at least this one. */
  needs(least: string): void {
    if (!isAtLeast(this.version, least)) throw new NotApplicable(`it belongs to version ${least} and later`);
  }

  /** Ends the check unless the agent follows scripts. */
  needsScript(): void {
    if (!this.facts.isScripted)
      throw new NotApplicable("it needs agenthost's demo agent, which follows scripts");
  }

  /** A connection before the handshake. */
  async open(clientId = `kit-${this.newId()}`): Promise<RawClient> {
    const { open, signal, patienceMs } = this.#options;
    const transport = await open(AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]));
    const client = new RawClient(transport, { clientId, connection: this.clients.length + 1, patienceMs });
    this.clients.push(client);
    return client;
  }

  /** Params of `initialize` for a client. */
  initializeParams(client: RawClient, initialSubscriptions: readonly string[] = []): object {
    return {
      protocolVersions: [this.version],
      clientId: client.clientId,
      clientInfo: { name: 'agenthost-conformance', version: '1' },
      initialSubscriptions,
    };
  }

  /** A connection after the handshake. */
  async connect(initialSubscriptions: readonly string[] = [], clientId?: string): Promise<RawClient> {
    const client = await this.open(clientId);
    await client.call('initialize', this.initializeParams(client, initialSubscriptions));
    return client;
  }

  /** A URI for a new session, in the form that the host expects. */
  newSessionUri(): string {
    const scheme =
      this.#isVsCode && this.facts.agent !== undefined ? String(this.facts.agent['provider']) : 'ahp-session';
    return `${scheme}:/${this.newId()}`;
  }

  /** A URI for a new chat of a session, in the form that the host expects. */
  newChatUri(session: string): string {
    // VS Code's host finds the session of a chat in the chat's path.
    if (this.#isVsCode) return `ahp-chat://kit-${this.newId()}/${Buffer.from(session).toString('base64url')}`;
    return `ahp-chat:/kit-${this.newId()}`;
  }

  get #isVsCode(): boolean {
    const meta = this.facts.initialized['_meta'];
    return isObject(meta) && Object.keys(meta).some((name) => name.startsWith('vscode.'));
  }

  /** Params of `createSession` without the channel. */
  sessionParams(): object {
    const { agent } = this.facts;
    if (agent === undefined) throw new NotApplicable('the host has no agent');
    const place = isAtLeast(this.version, '0.7.0')
      ? { workingDirectories: [this.folderUri] }
      : { workingDirectory: this.folderUri };
    return { provider: agent['provider'], ...place };
  }

  /** Makes a session. It may still be in creation. The client is subscribed to it, not to its chat. */
  async session(client: RawClient): Promise<MadeSession> {
    const session = this.newSessionUri();
    const answer = await client.request('createSession', { channel: session, ...this.sessionParams() });
    if (answer.error?.code === -32007) throw new NotApplicable('the agent wants a sign-in');
    if (answer.error !== undefined)
      throw new Violation(`createSession failed: ${String(answer.error.message)}`, [answer.frame]);
    this.#sessions.push(session);
    const { state, frame } = await client.subscribe(session);
    const chat = state['defaultChat'];
    if (typeof chat !== 'string') throw new Violation('the session has no defaultChat', [frame]);
    return { session, chat, state };
  }

  /** Makes a session and waits until it is ready: turns need that. */
  async readySession(client: RawClient): Promise<MadeSession> {
    const made = await this.session(client);
    if (made.state['lifecycle'] !== 'creating') return made;
    const { action } = await client.envelope(
      ({ channel, action: { type } }) =>
        channel === made.session && ['session/ready', 'session/creationFailed'].includes(String(type)),
      'session/ready',
    );
    if (action['type'] === 'session/creationFailed')
      throw new NotApplicable('the agent could not be started');
    return { ...made, state: (await client.subscribe(made.session)).state };
  }

  /** A new terminal that runs a shell. The client holds it. */
  async terminal(client: RawClient): Promise<string> {
    const channel = `ahp-terminal:/${this.newId()}`;
    const claim = { kind: 'client', clientId: client.clientId };
    const answer = await client.request('createTerminal', { channel, claim, cwd: this.folderUri });
    if (answer.error?.code === -32601) throw new NotApplicable('the host has no terminals');
    if (answer.error !== undefined)
      throw new Violation(`createTerminal failed: ${String(answer.error.message)}`, [answer.frame]);
    this.#terminals.push(channel);
    return channel;
  }

  /** Notes a session that a check made by itself, so that it is disposed of. */
  owns(session: string): void {
    this.#sessions.push(session);
  }

  /** Disposes of everything that the check made, and closes its connections. */
  async end(): Promise<void> {
    try {
      if (this.#sessions.length + this.#terminals.length > 0) {
        const transport = await this.#options.open(AbortSignal.timeout(CONNECT_TIMEOUT_MS));
        const { patienceMs } = this.#options;
        const cleaner = new RawClient(transport, {
          clientId: `kit-${this.newId()}`,
          connection: 0,
          patienceMs,
        });
        await cleaner.request('initialize', this.initializeParams(cleaner, [ROOT]));
        for (const channel of this.#terminals) await cleaner.request('disposeTerminal', { channel });
        for (const channel of this.#sessions) await cleaner.request('disposeSession', { channel });
        cleaner.close();
      }
    } finally {
      for (const client of this.clients) client.close();
    }
  }
}
