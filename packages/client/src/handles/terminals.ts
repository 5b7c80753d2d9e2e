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

/** Options of `AhpClient.createTerminal`. */
export interface CreateTerminalOptions extends Pick<SubscriptionOptions, 'maxLatencyMs'> {
  /** Channel of the terminal. Default: a random URI. */
  uri?: URI;
  /** The holder. Default: this client. */
  claim?: ClaimTarget;
  /** Title. Default: chosen by the host. */
  name?: string;
  /** Working directory, a `file:` URI. Default: chosen by the host. */
  cwd?: URI;
  /** Program and arguments. Default: the user's shell. */
  command?: readonly string[];
  /** Variables set on top of a terminal's usual environment. */
  env?: Readonly<Record<string, string>>;
  /** Width in characters. Default 80. */
  cols?: number;
  /** Height in lines. Default 24. */
  rows?: number;
}

/** Opens the terminals of one host. */
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
    // The root channel tells when the terminal is removed. It is held first, so that no removal is missed.
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

/** A live list of a host's terminals. */
export class TerminalCatalogue {
  readonly #root: Mirror<'root'>;

  constructor(root: Mirror<'root'>) {
    this.#root = root;
  }

  /** The terminals in the host's order. The same array until something changes. */
  get items(): readonly TerminalInfo[] {
    return this.#root.state.terminals ?? NONE;
  }

  /**
   * Calls `listener` when a terminal was added, removed or changed. Returns a function that removes the
   * listener.
   */
  onChange(listener: (items: readonly TerminalInfo[]) => void): () => void {
    let known = this.items;
    return this.#root.onChange(() => {
      if (this.items === known) return;
      known = this.items;
      listener(known);
    });
  }

  /** Stops the updates. Calling it again does nothing. */
  dispose(): void {
    this.#root.dispose();
  }
}

const NONE: readonly TerminalInfo[] = [];
