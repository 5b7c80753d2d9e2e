import { type ContentRef, ROOT_URI, type URI } from '@agenthost/protocol';
import { useCallback, useEffect, useState } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { messageOf } from '../live/host-link.ts';
import { useLinkStatus } from '../live/use-hosts.ts';
import { bytesOfBase64 } from './transcript/blob-url.ts';

/** Content that was read from the host. */
export interface ReadContent {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Absent: it is not text. */
  readonly text: string | undefined;
  readonly contentType: string | undefined;
}

/** Reads the content behind a URI. Rejects like `AhpClient.request`. */
export async function readResource(link: HostLink, uri: URI): Promise<ReadContent> {
  if (link.client === undefined) throw new Error('not connected');
  const read = await link.client.request('resourceRead', { channel: ROOT_URI, uri });
  const bytes = read.encoding === 'base64' ? bytesOfBase64(read.data) : new TextEncoder().encode(read.data);
  const text = read.encoding === 'utf-8' ? read.data : textOfBytes(bytes);
  return { bytes, text, contentType: read.contentType };
}

/** State of content that is read when it is needed. */
export type Loaded<T> =
  | { readonly state: 'idle' }
  | { readonly state: 'loading' }
  | { readonly state: 'loaded'; readonly value: T }
  | { readonly state: 'failed'; readonly reason: string };

/** Reads content once `isWanted`. The second value tries again, which also happens when the host is online again after a failure. */
export function useResource(
  link: HostLink,
  content: ContentRef | undefined,
  isWanted: boolean,
): readonly [Loaded<ReadContent>, () => void] {
  const uri = content?.uri;
  const nonce = content?.nonce;
  const [attempt, setAttempt] = useState(0);
  const [loaded, setLoaded] = useState<Loaded<ReadContent>>({ state: 'idle' });
  useEffect(() => {
    if (uri === undefined || !isWanted) return undefined;
    let isCurrent = true;
    setLoaded({ state: 'loading' });
    readResource(link, uri).then(
      (value) => isCurrent && setLoaded({ state: 'loaded', value }),
      (error: unknown) => isCurrent && setLoaded({ state: 'failed', reason: messageOf(error) }),
    );
    return () => {
      isCurrent = false;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- nonce and attempt say when to read again
  }, [link, uri, nonce, isWanted, attempt]);
  const isOnline = useLinkStatus(link).state === 'online';
  const hasFailed = loaded.state === 'failed';
  useEffect(() => {
    if (isOnline && hasFailed) setAttempt((before) => before + 1);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only a new connection repeats it, or a failure would repeat itself for ever
  }, [isOnline]);
  return [loaded, useCallback(() => setAttempt((before) => before + 1), [])];
}

/** The text of bytes; `undefined` when they are not UTF-8 or contain NUL. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
