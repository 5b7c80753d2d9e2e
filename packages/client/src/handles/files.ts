import {
  type ByteRange,
  type ClientToHostRequests,
  type ResourceResolveResult,
  type ResourceWriteMode,
  ROOT_URI,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { fromBase64, toBase64 } from './base64.ts';
import type { FileRange, StreamOptions } from './file-ranges.ts';
import { type Folder, listFolder, makeFolder } from './folders.ts';

type FileMethod =
  | 'resourceRead'
  | 'resourceWrite'
  | 'resourceList'
  | 'resourceCopy'
  | 'resourceMove'
  | 'resourceDelete'
  | 'resourceResolve'
  | 'resourceMkdir'
  | 'resourceRequest';

/** The requests of a client that the handle of files makes. */
export interface FilesPort {
  request<M extends FileMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ClientToHostRequests[M]['result']>;
}

/** The content of a file. */
export interface FileContent {
  /** Absent: it is not text. */
  readonly text?: string;
  readonly bytes: Uint8Array;
  /** Media type. Absent: unknown. */
  readonly contentType?: string;
}

/** How a file is written. */
export interface WriteOptions {
  /** Whether an existing file is refused with -32010. Default false. */
  readonly createOnly?: boolean;
  /** `etag` that the file must still have; otherwise it is refused with -32011. Default: not checked. */
  readonly ifMatch?: string;
  /** Default `truncate`: replaces everything from `position` on. */
  readonly mode?: ResourceWriteMode;
  /** In bytes, from the start; with `append` back from the end. Default 0. */
  readonly position?: number;
}

/** Reads a file or other content of the host. Rejects as `Files.read` does. */
export async function readContent(
  client: {
    request(
      method: 'resourceRead',
      params: ClientToHostRequests['resourceRead']['params'],
    ): Promise<ClientToHostRequests['resourceRead']['result']>;
  },
  uri: URI,
): Promise<FileContent> {
  const { data, encoding, contentType } = await client.request('resourceRead', { channel: ROOT_URI, uri });
  const rest = defined({ contentType });
  return encoding === 'base64'
    ? { bytes: fromBase64(data), ...rest }
    : { text: data, bytes: new TextEncoder().encode(data), ...rest };
}

/**
 * The files of the host's machine, by `file:` URI. Methods reject with `RpcError`: -32008 (does not exist), -32009 (no access; `request` asks
 * for it), -32602 (invalid URI, not a file, too large), and as `AhpClient.request`.
 */
export class Files {
  readonly #client: FilesPort;

  constructor(client: FilesPort) {
    this.#client = client;
  }

  /** Reads a whole file; also content of the host that a state refers to. At most 24 MiB are read; `stream` reads more. */
  read(uri: URI): Promise<FileContent> {
    return readContent(this.#client, uri);
  }

  /** Reads at most `length` bytes from `start` on. Rejects as `read` does, and with -32602 for more than 24 MiB. */
  async readRange(
    uri: URI,
    range: ByteRange,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<FileRange> {
    const { readRange } = await import('./file-ranges.ts');
    return readRange(this.#client, uri, range, options);
  }

  /**
   * Reads a file of any size in pieces, one request after the other. Rejects as `read` does, and with -32011 if the file changes meanwhile. The
   * `size` that `onSize` gets is that of the file, in bytes, before the first piece.
   */
  async *stream(uri: URI, options: StreamOptions = {}): AsyncGenerator<Uint8Array, void> {
    const { streamFile } = await import('./file-ranges.ts');
    yield* streamFile(this.#client, uri, options);
  }

  /**
   * Writes a file completely or not at all, and creates it if it is missing. Resolves with its new `etag`, if the host knows it. A request has
   * at most 16 MiB.
   */
  async write(uri: URI, data: string | Uint8Array, options: WriteOptions = {}): Promise<string | undefined> {
    const content =
      typeof data === 'string'
        ? ({ data, encoding: 'utf-8' } as const)
        : ({ data: toBase64(data), encoding: 'base64' } as const);
    const { createOnly, ifMatch, mode, position } = options;
    const params = {
      channel: ROOT_URI,
      uri,
      ...content,
      ...defined({ createOnly, ifMatch, mode, position }),
    } as const;
    return (await this.#client.request('resourceWrite', params))['x-etag'];
  }

  /** Lists a folder; an empty URI stands for the host's default folder. */
  list(uri: URI): Promise<Folder> {
    return listFolder(this.#client, uri);
  }

  /** Makes a folder, and missing folders above it. Rejects with -32010 if a file has this name. */
  makeFolder(uri: URI): Promise<void> {
    return makeFolder(this.#client, uri);
  }

  /**
   * Copies a file, or a folder with everything below it. Replaces a file or an empty folder; `failIfExists` refuses both with -32010.
   */
  async copy(
    source: URI,
    destination: URI,
    options: { readonly failIfExists?: boolean } = {},
  ): Promise<void> {
    await this.#client.request('resourceCopy', transfer(source, destination, options));
  }

  /** Moves or renames a file, a link or a folder; otherwise as `copy`. */
  async move(
    source: URI,
    destination: URI,
    options: { readonly failIfExists?: boolean } = {},
  ): Promise<void> {
    await this.#client.request('resourceMove', transfer(source, destination, options));
  }

  /** Deletes a file, a link or a folder. Without `recursive` a folder that is not empty is refused with -32011. */
  async remove(uri: URI, { recursive }: { readonly recursive?: boolean } = {}): Promise<void> {
    await this.#client.request('resourceDelete', { channel: ROOT_URI, uri, ...defined({ recursive }) });
  }

  /** Resolves with kind, real place, size, times and `etag`. `followSymlinks: false` describes a link itself. */
  resolve(
    uri: URI,
    { followSymlinks }: { readonly followSymlinks?: boolean } = {},
  ): Promise<ResourceResolveResult> {
    return this.#client.request('resourceResolve', {
      channel: ROOT_URI,
      uri,
      ...defined({ followSymlinks }),
    });
  }

  /**
   * Asks for access to a file, or to a folder with everything below it. Resolves when this client has it. An admin gets it at once; for
   * others an admin is asked, for at most five minutes. Rejects with -32009 when it is denied or nobody answers, and with -32011 when too
   * many requests are open. Aborting `signal` stops waiting; the request stays open.
   */
  async request(
    uri: URI,
    {
      read,
      write,
      signal,
    }: { readonly read?: boolean; readonly write?: boolean; readonly signal?: AbortSignal },
  ): Promise<void> {
    const params = { channel: ROOT_URI, uri, ...defined({ read, write }) } as const;
    await this.#client.request('resourceRequest', params, { signal });
  }
}

const transfer = (source: URI, destination: URI, { failIfExists }: { readonly failIfExists?: boolean }) =>
  ({ channel: ROOT_URI, source, destination, ...defined({ failIfExists }) }) as const;
