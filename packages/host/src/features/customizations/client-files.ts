import { ROOT_URI } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { textOfBytes } from './host-files.ts';
import { MAX_ENTRIES, MAX_FILE_BYTES, SourceFault, type SourceFiles } from './source-files.ts';

/** Asks a client for one of its files. Rejects with the errors of `Peer.request`. */
export type AskClient = (
  method: 'resourceResolve' | 'resourceRead' | 'resourceList',
  params: object,
) => Promise<unknown>;

/** Whether a value is an object with members. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Files below a URI of a client, whatever its scheme [CUST-2]. */
export function clientFiles(
  root: string,
  ask: AskClient,
): SourceFiles & { kindOf(): Promise<'file' | 'directory'> } {
  let isFile = false;
  const uriOf = (path: string): string => (path === '' || isFile ? root : childUri(root, path));
  const tolerated = async (
    method: Parameters<AskClient>[0],
    uri: string,
    more: object = {},
  ): Promise<unknown> => {
    try {
      return await ask(method, { channel: ROOT_URI, uri, ...more });
    } catch (error) {
      // Clients differ in the codes for files that do not exist. A client that is gone is told by the first request.
      if (error instanceof RpcError) return undefined;
      throw error;
    }
  };
  return {
    uriOf,
    kindOf: async () => {
      const found = await ask('resourceResolve', { channel: ROOT_URI, uri: root });
      isFile = isObject(found) && found['type'] === 'file';
      return isFile ? 'file' : 'directory';
    },
    list: async (path) => {
      const answer = await tolerated('resourceList', uriOf(path));
      if (!isObject(answer) || !Array.isArray(answer['entries'])) return undefined;
      const entries: unknown[] = answer['entries'].slice(0, MAX_ENTRIES);
      return entries
        .flatMap((entry) => {
          if (!isObject(entry) || typeof entry['name'] !== 'string' || !isPlainName(entry['name'])) return [];
          const kind = entry['type'] === 'directory' ? ('directory' as const) : ('file' as const);
          return [{ name: entry['name'], kind }];
        })
        .toSorted((one, other) => (one.name < other.name ? -1 : 1));
    },
    read: async (path) => {
      const uri = uriOf(path);
      const found = await tolerated('resourceResolve', uri);
      if (!isObject(found) || found['type'] !== 'file') return undefined;
      const { size } = found;
      if (typeof size === 'number' && size > MAX_FILE_BYTES)
        throw new SourceFault(`it has more than ${MAX_FILE_BYTES} bytes, the limit`);
      const answer = await tolerated('resourceRead', uri, { encoding: 'base64' });
      if (!isObject(answer) || typeof answer['data'] !== 'string')
        throw new SourceFault('its client did not give it');
      return textOfBytes(Buffer.from(answer['data'], answer['encoding'] === 'base64' ? 'base64' : 'utf8'));
    },
  };
}

/** The URI of a file or folder below another one. `path`: relative, with `/`. */
export const childUri = (root: string, path: string): string =>
  `${root.endsWith('/') ? root : `${root}/`}${path.split('/').map(encodeURIComponent).join('/')}`;

/** The name of the file at a URI. */
export function lastName(uri: string): string {
  const name =
    uri
      .replace(/[?#].*/, '')
      .split('/')
      .at(-1) ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    // It is not encoded.
    return name;
  }
}

/** A name that leads into another folder would name files that were not published. */
export const isPlainName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !/[\\/]/.test(name) && name.length <= 255;
