import type { ClientPluginCustomization } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import type { Channel } from '../../sync/channel.ts';
import { type AskClient, clientFiles, lastName } from './client-files.ts';
import { type ReadContainer, readPlugin, readSingleFile } from './read-container.ts';

/** Maximum plugins that are read from one client. */
const MAX_PLUGINS = 50;

/** A plugin that a client publishes, as it was read. */
export interface PublishedPlugin {
  readonly plugin: ClientPluginCustomization;
  readonly container: ReadContainer;
}

/** A copy of a client's plugin. */
interface Copy {
  readonly nonce: string | undefined;
  readonly uri: string;
  readonly reading: Promise<ReadContainer>;
}

/** Reads the plugins that active clients publish for a session [CUST-2]. Each is read once, and again when its nonce changes. */
export class ClientPlugins {
  readonly #ask: (clientId: string) => AskClient | undefined;
  /** By client and id. */
  readonly #copies = new Map<string, Copy>();

  /** `ask`: how a client is asked for its files; `undefined` while it is not connected. */
  constructor(ask: (clientId: string) => AskClient | undefined) {
    this.#ask = ask;
  }

  /** Whether a client of the session publishes a plugin with this id. */
  has(session: Channel<'session'>, id: string): boolean {
    return publishedBy(session).some(({ plugin }) => plugin.id === id);
  }

  /** The plugins of all active clients of a session, in the order of the clients. The first one of an id counts. Never rejects. */
  async read(session: Channel<'session'>): Promise<readonly PublishedPlugin[]> {
    return Promise.all(
      publishedBy(session).map(async ({ clientId, plugin }) => {
        const { container, children } = await this.#copyOf(clientId, plugin);
        const theirs = children.map((child) => ({ ...child, clientId }));
        return { plugin, container: { container: { ...container, clientId }, children: theirs } };
      }),
    );
  }

  /** Removes the copies of plugins that no session has any longer. */
  keepOnly(sessions: Iterable<Channel<'session'>>): void {
    const wanted = new Set(
      [...sessions].flatMap((session) =>
        publishedBy(session).map(({ clientId, plugin }) => keyOf(clientId, plugin.id)),
      ),
    );
    for (const key of [...this.#copies.keys()]) if (!wanted.has(key)) this.#copies.delete(key);
  }

  #copyOf(clientId: string, plugin: ClientPluginCustomization): Promise<ReadContainer> {
    const key = keyOf(clientId, plugin.id);
    const known = this.#copies.get(key);
    // A copy outlives a short absence of its client.
    if (known !== undefined && known.nonce === plugin.nonce && known.uri === plugin.uri) return known.reading;
    const reading = this.#read(clientId, plugin);
    const copy: Copy = { nonce: plugin.nonce, uri: plugin.uri, reading };
    this.#copies.set(key, copy);
    void reading.then(({ container }) => {
      // A client that was away is asked again.
      if (container.load?.kind === 'error' && this.#copies.get(key) === copy) this.#copies.delete(key);
    });
    return reading;
  }

  async #read(clientId: string, plugin: ClientPluginCustomization): Promise<ReadContainer> {
    const { id, uri, name } = plugin;
    const identity = { id, uri, name };
    const failed = (message: string): ReadContainer => ({
      container: { type: 'plugin', ...identity, load: { kind: 'error', message } },
      children: [],
    });
    const ask = this.#ask(clientId);
    if (ask === undefined) return failed('its client is not connected');
    try {
      const files = clientFiles(uri, ask);
      if ((await files.kindOf()) === 'directory') return await readPlugin(files, { path: '', identity });
      return await readSingleFile(files, { name: lastName(uri), identity });
    } catch (error) {
      return failed(`its client did not give it: ${errorText(error)}`);
    }
  }
}

function publishedBy(
  session: Channel<'session'>,
): readonly { readonly clientId: string; readonly plugin: ClientPluginCustomization }[] {
  const seen = new Set<string>();
  return session.state.activeClients.flatMap(({ clientId, customizations = [] }) =>
    customizations.slice(0, MAX_PLUGINS).flatMap((plugin) => {
      if (seen.has(plugin.id)) return [];
      seen.add(plugin.id);
      return [{ clientId, plugin }];
    }),
  );
}

const keyOf = (clientId: string, id: string): string => JSON.stringify([clientId, id]);
