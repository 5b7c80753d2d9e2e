import type { DirectoryEntry, ResourceResolveResult, ResourceWriteParams, URI } from '@agenthost/protocol';

/** Content of a published file: text, bytes, or `undefined` if there is no such file. */
export type PublishedContent = string | Uint8Array | undefined;

/** The facts of a published file or folder. */
export type PublishedFacts = Omit<ResourceResolveResult, 'uri'>;

/**
 * Files that a program gives to the host [RES-4]. Only `read` is needed; what is missing is refused. Methods may throw a `WireError`.
 */
export interface FileProvider {
  /** The content of a file. */
  read(uri: URI): PublishedContent | Promise<PublishedContent>;
  /** The facts of a file or a folder; `undefined` if it does not exist. Default: those of the content that `read` returns. */
  resolve?(uri: URI): PublishedFacts | undefined | Promise<PublishedFacts | undefined>;
  /** The entries of a folder; `undefined` if it does not exist. */
  list?(uri: URI): readonly DirectoryEntry[] | undefined | Promise<readonly DirectoryEntry[] | undefined>;
  /** Writes a file. */
  write?(params: Omit<ResourceWriteParams, 'channel' | '_meta'>): void | Promise<void>;
  copy?(source: URI, destination: URI, options: { readonly failIfExists: boolean }): void | Promise<void>;
  move?(source: URI, destination: URI, options: { readonly failIfExists: boolean }): void | Promise<void>;
  remove?(uri: URI, options: { readonly recursive: boolean }): void | Promise<void>;
  makeFolder?(uri: URI): void | Promise<void>;
}
