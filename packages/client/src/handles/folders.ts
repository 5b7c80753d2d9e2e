import { type ClientToHostRequests, ROOT_URI, type URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';

/** A folder of the host's machine. */
export interface Folder {
  /** `file:` URI without a slash at its end, except for the root folder. */
  readonly uri: URI;
  /** The folder that contains it, which the host may refuse to list. Absent: it is the root folder. */
  readonly parent?: URI;
  /** Folders first, each kind by name. Names that begin with a dot are included. */
  readonly entries: readonly FolderEntry[];
  /** Whether entries are left out because there are too many. */
  readonly hasMore: boolean;
}

/** An entry of a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly uri: URI;
  /** Whether it is a folder, or a link to one. */
  readonly isFolder: boolean;
  readonly isLink: boolean;
}

/** What folders need of a client. */
export interface FoldersPort {
  request<M extends 'resourceList' | 'resourceMkdir'>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
}

/** Lists a folder. See `AhpClient.listFolder`. */
export async function listFolder(client: FoldersPort, uri: URI): Promise<Folder> {
  const {
    entries,
    'x-uri': given,
    'x-more': hasMore = false,
  } = await client.request('resourceList', {
    channel: ROOT_URI,
    uri,
  });
  const listed = withoutSlash(given ?? uri);
  return {
    uri: listed,
    ...defined({ parent: parentOf(listed) }),
    entries: entries.map(({ name, type, 'x-isLink': isLink = false }) => ({
      name,
      uri: inFolder(listed, name),
      isFolder: type === 'directory',
      isLink,
    })),
    hasMore,
  };
}

/** Makes a folder. See `AhpClient.makeFolder`. */
export async function makeFolder(client: FoldersPort, uri: URI): Promise<void> {
  await client.request('resourceMkdir', { channel: ROOT_URI, uri });
}

/** The URI of an entry of a folder; `name` is encoded. */
export function inFolder(folder: URI, name: string): URI {
  return `${withoutSlash(folder)}${isRoot(folder) ? '' : '/'}${encodeURIComponent(name)}`;
}

const isRoot = (uri: URI): boolean => /^file:\/\/\/$/.test(uri);

const withoutSlash = (uri: URI): URI => (isRoot(uri) ? uri : uri.replace(/\/+$/, ''));

/** `undefined` for the root folder, and for a URI that is no path. */
function parentOf(uri: URI): URI | undefined {
  if (isRoot(uri)) return undefined;
  const path = /^(file:\/\/)(.*)\/[^/]+$/.exec(uri);
  return path === null ? undefined : `${path[1]}${path[2] === '' ? '/' : path[2]}`;
}
