import type { ClientPluginCustomization, DirectoryEntry, URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { FileProvider, PublishedFacts } from './file-provider.ts';
import type { ToolOffer } from './tools.ts';

/** A plugin that a program publishes for a session, in the layout of Open Plugins [CUST-2]. */
export interface PluginFolder
  extends Pick<ClientPluginCustomization, 'name' | 'enablement' | 'childEnablement' | 'version'> {
  /** Stays the same from one run of the program to the next, because the host remembers decisions of people by it. */
  readonly id: string;
  /** Contents by path in the folder, with `/`, such as `rules/style.mdc`. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

/** The files of published plugins, for the host to read. */
export class PluginFiles {
  readonly #publish: (prefix: string, provider: FileProvider) => () => void;
  readonly #newId: () => string;
  /** By the id of the plugin. One plugin may be published for many sessions. */
  readonly #shared = new Map<
    string,
    { files: PluginFolder['files']; nonce: string; count: number; end(): void }
  >();

  constructor(publish: (prefix: string, provider: FileProvider) => () => void, newId: () => string) {
    this.#publish = publish;
    this.#newId = newId;
  }

  /** Serves the files of a plugin, and makes an offer with its entry. The files are served until the offer is disposed. Rejects like `offer`. */
  async publish(
    plugin: PluginFolder,
    offer: (entry: ClientPluginCustomization) => Promise<ToolOffer>,
  ): Promise<ToolOffer> {
    const { entry, end } = this.add(plugin);
    try {
      const made = await offer(entry);
      return {
        dispose: () => {
          made.dispose();
          end();
        },
      };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Serves the files of a plugin until `end`. Other files under the same id replace the earlier ones. */
  add({ id, files, ...plugin }: PluginFolder): { readonly entry: ClientPluginCustomization; end(): void } {
    const root = `client-plugin:/${encodeURIComponent(id)}/`;
    const known = this.#shared.get(id);
    const shared = known ?? {
      files,
      nonce: this.#newId(),
      count: 0,
      end: this.#publish(
        root,
        providerOf(root, () => this.#shared.get(id)?.files ?? {}),
      ),
    };
    if (known !== undefined && known.files !== files) Object.assign(known, { files, nonce: this.#newId() });
    shared.count += 1;
    this.#shared.set(id, shared);
    let isOver = false;
    return {
      entry: { type: 'plugin', id, uri: root, nonce: shared.nonce, ...defined(plugin) },
      end: () => {
        if (isOver) return;
        isOver = true;
        shared.count -= 1;
        if (shared.count > 0) return;
        shared.end();
        this.#shared.delete(id);
      },
    };
  }
}

function providerOf(root: string, files: () => PluginFolder['files']): FileProvider {
  const contentOf = (uri: URI): string | Uint8Array | undefined => {
    const path = pathOf(root, uri);
    return path !== undefined && Object.hasOwn(files(), path) ? files()[path] : undefined;
  };
  const list = (uri: URI): DirectoryEntry[] | undefined => {
    const path = pathOf(root, uri)?.replace(/\/$/, '');
    if (path === undefined) return undefined;
    const before = path === '' ? '' : `${path}/`;
    const entries = new Map<string, DirectoryEntry['type']>();
    for (const each of Object.keys(files())) {
      if (!each.startsWith(before)) continue;
      const [name = '', ...more] = each.slice(before.length).split('/');
      if (name !== '') entries.set(name, more.length === 0 ? 'file' : 'directory');
    }
    if (entries.size === 0 && path !== '') return undefined;
    return [...entries].map(([name, type]) => ({ name, type }));
  };
  return {
    read: contentOf,
    list,
    resolve: (uri): PublishedFacts | undefined => {
      const content = contentOf(uri);
      if (content === undefined) return list(uri) === undefined ? undefined : { type: 'directory' };
      return {
        type: 'file',
        size: typeof content === 'string' ? new TextEncoder().encode(content).length : content.length,
      };
    },
  };
}

/** The path of a URI below the root. `undefined`: it cannot be one. */
function pathOf(root: string, uri: URI): string | undefined {
  try {
    return uri.slice(root.length).split('/').map(decodeURIComponent).join('/');
  } catch {
    // Its encoding is broken.
    return undefined;
  }
}
