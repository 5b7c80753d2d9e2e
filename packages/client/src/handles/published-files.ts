import type { HostRequestMethod, HostToClientRequests, URI } from '@agenthost/protocol';
import type { FileProvider } from './file-provider.ts';

/** The file systems that a client publishes, by the beginning of their URIs. */
export class PublishedFiles {
  readonly #providers = new Map<string, FileProvider>();

  /** Publishes files. Returns a function that ends it. Throws if the prefix is no beginning of a URI, or taken. */
  publish(prefix: string, provider: FileProvider): () => void {
    if (!/^[a-z][a-z0-9+.-]*:/i.test(prefix) || /^file:/i.test(prefix))
      throw new TypeError(
        `Expected the beginning of URIs such as virtual://app/, got ${JSON.stringify(prefix)}`,
      );
    if (this.#providers.has(prefix)) throw new TypeError(`${JSON.stringify(prefix)} is published already`);
    this.#providers.set(prefix, provider);
    return () => {
      if (this.#providers.get(prefix) === provider) this.#providers.delete(prefix);
    };
  }

  /** Whether anything is published. */
  get isEmpty(): boolean {
    return this.#providers.size === 0;
  }

  /** Answers a request of the host. Rejects with the error for the host. The code is loaded with the first request. */
  async serve(
    method: HostRequestMethod,
    params: HostToClientRequests[HostRequestMethod]['params'],
  ): Promise<object> {
    const { servePublished } = await import('./serve-published.ts');
    return servePublished((uri) => this.#find(uri), method, params);
  }

  /** The provider with the longest prefix. */
  #find(uri: URI): FileProvider | undefined {
    let best: string | undefined;
    for (const prefix of this.#providers.keys())
      if (uri.startsWith(prefix) && prefix.length > (best?.length ?? -1)) best = prefix;
    return best === undefined ? undefined : this.#providers.get(best);
  }
}
