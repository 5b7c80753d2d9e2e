import {
  type ChannelKind,
  type ClientToHostRequests,
  channelUri,
  ROOT_URI,
  type TerminalInfo,
  type URI,
} from '@agenthost/protocol';
import type { SubscriptionOptions } from '../mirror/channel.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { type ClaimTarget, claimOf, TerminalHandle } from './terminal-handle.ts';

type TerminalMethod = 'createTerminal' | 'disposeTerminal' | 'x-signalTerminal';

/** What terminals need of the client. */
export interface TerminalsPort {
  readonly clientId: string;
  request<M extends TerminalMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
  subscribe<K extends ChannelKind>(
    uri: URI,
    options: SubscriptionOptions & { readonly kind: K },
  ): Promise<Mirror<K>>;
}

/** How a terminal is made. */
export interface CreateTerminalOptions extends Pick<SubscriptionOptions, 'maxLatencyMs'> {
  /** Default: a fresh one. */
  uri?: URI;
  /** Who holds it. Default: this client. */
  claim?: ClaimTarget;
  /** Title. Default: the host's choice. */
  name?: string;
  /** A `file:` URI. Default: the host's choice. */
  cwd?: URI;
  /** Program and arguments. Default: the user's shell. */
  command?: readonly string[];
  /** Set on top of a terminal's usual environment. */
  env?: Readonly<Record<string, string>>;
  /** Characters. Default 80. */
  cols?: number;
  /** Lines. Default 24. */
  rows?: number;
}

/** The terminals of one host. */
export class Terminals {
  readonly #client: TerminalsPort;
  readonly #newId: () => string;

  constructor(client: TerminalsPort, newId: () => string) {
    this.#client = client;
    this.#newId = newId;
  }

  /** See `AhpClient.createTerminal`. */
  async create({
    uri,
    claim = 'me',
    command,
    env,
    maxLatencyMs,
    ...rest
  }: CreateTerminalOptions): Promise<TerminalHandle> {
    const channel = uri ?? channelUri('terminal', this.#newId());
    await this.#client.request('createTerminal', {
      channel,
      claim: claimOf(claim, this.#client.clientId),
      ...rest,
      ...(command === undefined ? {} : { 'x-command': [...command] }),
      ...(env === undefined ? {} : { 'x-env': { ...env } }),
    });
    return this.open(channel, { maxLatencyMs });
  }

  /** See `AhpClient.terminal`. */
  async open(uri: URI, { maxLatencyMs }: SubscriptionOptions): Promise<TerminalHandle> {
    // The root tells when it is disposed of; held first, so that no end goes by unseen.
    const root = await this.#client.subscribe(ROOT_URI, { kind: 'root' });
    try {
      const mirror = await this.#client.subscribe(uri, { kind: 'terminal', maxLatencyMs });
      return new TerminalHandle(
        mirror,
        {
          clientId: this.#client.clientId,
          signal: async (channel, signal) => {
            await this.#client.request('x-signalTerminal', { channel, signal });
          },
          dispose: async (channel) => {
            await this.#client.request('disposeTerminal', { channel });
          },
        },
        () => {
          mirror.dispose();
          root.dispose();
        },
      );
    } catch (error) {
      root.dispose();
      throw error;
    }
  }

  /** See `AhpClient.terminals`. */
  async catalogue(): Promise<TerminalCatalogue> {
    return new TerminalCatalogue(await this.#client.subscribe(ROOT_URI, { kind: 'root' }));
  }
}

/** A host's list of terminals, live. */
export class TerminalCatalogue {
  readonly #root: Mirror<'root'>;

  constructor(root: Mirror<'root'>) {
    this.#root = root;
  }

  /** What is there now, in the host's order; the same object until something changes. */
  get items(): readonly TerminalInfo[] {
    return this.#root.state.terminals ?? NONE;
  }

  /** Calls `listener` when a terminal came, went or changed. The result removes it. */
  onChange(listener: (items: readonly TerminalInfo[]) => void): () => void {
    let known = this.items;
    return this.#root.onChange(() => {
      if (this.items === known) return;
      known = this.items;
      listener(known);
    });
  }

  /** Ends it. Calling it again does nothing. */
  dispose(): void {
    this.#root.dispose();
  }
}

const NONE: readonly TerminalInfo[] = [];
