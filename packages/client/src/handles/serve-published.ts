import {
  type HostRequestMethod,
  type HostToClientRequests,
  methodNotFound,
  notFound,
  permissionDenied,
  type ResourceWriteParams,
  type URI,
} from '@agenthost/protocol';
import { toBase64 } from './base64.ts';
import type { FileProvider, PublishedFacts } from './file-provider.ts';

type Params = HostToClientRequests[HostRequestMethod]['params'];

/** Answers a request of the host from the provider of its URI [RES-4]. Rejects with the error for the host. */
export async function servePublished(
  find: (uri: URI) => FileProvider | undefined,
  method: HostRequestMethod,
  params: Params,
): Promise<object> {
  const of = (uri: URI): FileProvider => {
    const provider = find(uri);
    if (provider === undefined)
      throw permissionDenied(`${JSON.stringify(uri)} is not published by this client`);
    return provider;
  };
  if (!('source' in params)) return serveOne(of(params.uri), method, params);
  const { source, destination, failIfExists = false } = params;
  const provider = of(source);
  const change = method === 'resourceCopy' ? provider.copy : provider.move;
  if (change === undefined || of(destination) !== provider) throw readOnly(destination);
  await change.call(provider, source, destination, { failIfExists });
  return {};
}

async function serveOne(
  provider: FileProvider,
  method: HostRequestMethod,
  params: Exclude<Params, { source: URI }>,
): Promise<object> {
  const { uri } = params;
  switch (method) {
    case 'resourceRead':
      return contentAnswer(existing(uri, await provider.read(uri)), params);
    case 'resourceResolve':
      return { uri, ...existing(uri, await factsOf(provider, uri)) };
    case 'resourceList':
      if (provider.list === undefined) throw permissionDenied(`${JSON.stringify(uri)} cannot be listed`);
      return { entries: existing(uri, await provider.list(uri)) };
    case 'resourceWrite':
      if (provider.write === undefined || !('data' in params)) throw readOnly(uri);
      await provider.write(withoutChannel(params));
      return {};
    case 'resourceDelete':
      if (provider.remove === undefined) throw readOnly(uri);
      await provider.remove(uri, { recursive: ('recursive' in params && params.recursive) ?? false });
      return {};
    case 'resourceMkdir':
      if (provider.makeFolder === undefined) throw readOnly(uri);
      await provider.makeFolder(uri);
      return {};
    case 'resourceRequest':
      if ('write' in params && (params.write ?? false) && provider.write === undefined) throw readOnly(uri);
      return {};
    default:
      throw methodNotFound(method);
  }
}

function existing<T>(uri: URI, found: T | undefined): T {
  if (found === undefined) throw notFound('file', uri);
  return found;
}

async function factsOf(provider: FileProvider, uri: URI): Promise<PublishedFacts | undefined> {
  if (provider.resolve !== undefined) return provider.resolve(uri);
  const content = await provider.read(uri);
  if (content === undefined) return undefined;
  return {
    type: 'file',
    size: (typeof content === 'string' ? new TextEncoder().encode(content) : content).length,
  };
}

function contentAnswer(content: string | Uint8Array, params: object): object {
  const wantsBase64 = 'encoding' in params && params.encoding === 'base64';
  if (typeof content === 'string' && !wantsBase64) return { data: content, encoding: 'utf-8' };
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { data: toBase64(bytes), encoding: 'base64' };
}

const withoutChannel = ({ channel: _, _meta: __, ...params }: ResourceWriteParams) => params;

const readOnly = (uri: URI) =>
  permissionDenied(`${JSON.stringify(uri)} cannot be changed: this client publishes it for reading`);
