import { type FileRange, RpcError } from '@agenthost/client';
import { ErrorCodes, type URI } from '@agenthost/protocol';
import { useCallback, useEffect, useState } from 'react';
import { type ReadContent, readResource, textOfBytes } from '../chat/resource.ts';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { useLinkStatus } from '../live/use-hosts.ts';

/** How much of a file is shown at most. Bytes. */
const MAX_SHOWN_BYTES = 5 * 1024 * 1024;
/** How much of a larger file is shown at first, and with each wish for more. Bytes. */
const PART_BYTES = 1024 * 1024;

/** A file that is shown. */
export type ShownContent =
  | { readonly state: 'reading' }
  | {
      readonly state: 'read';
      readonly content: ReadContent;
      /** Bytes of the whole file. */
      readonly size: number;
      /** Whether `content` is the beginning of the file only. */
      readonly isCut: boolean;
    }
  | { readonly state: 'gone' }
  | { readonly state: 'failed'; readonly reason: string };

const READING: ShownContent = { state: 'reading' };

/** A shown file. */
export interface FileReading {
  readonly shown: ShownContent;
  readonly retry: () => void;
  /** Shows more of a file whose beginning is shown. Absent: no more is shown. */
  readonly showMore: (() => void) | undefined;
}

/** Reads a file, and reads it again when it changes. Of a large one it reads the beginning. */
export function useFile(link: HostLink, uri: URI): FileReading {
  const isOnline = useLinkStatus(link).state === 'online';
  const { client } = link;
  const [read, setRead] = useState<{ readonly uri: URI; readonly content: ShownContent }>();
  const [wanted, setWanted] = useState({ uri, bytes: PART_BYTES });
  const [version, setVersion] = useState(0);
  const retry = useCallback(() => setVersion((before) => before + 1), []);
  const bytes = wanted.uri === uri ? wanted.bytes : PART_BYTES;
  useEffect(() => {
    if (client === undefined || !isOnline) return undefined;
    let isCurrent = true;
    void readFile(link, uri, bytes).then((content) => {
      if (isCurrent) setRead({ uri, content });
    });
    return () => {
      isCurrent = false;
    };
  }, [link, client, isOnline, uri, bytes, version]);
  useEffect(() => {
    if (client === undefined || !isOnline) return undefined;
    let isOver = false;
    let close = (): void => {
      isOver = true;
    };
    client.watch(uri, {}, retry).then(
      (watch) => {
        if (isOver) return watch.close();
        close = () => watch.close();
        retry();
      },
      // A file that cannot be watched is still shown.
      () => undefined,
    );
    return () => close();
  }, [client, isOnline, uri, retry]);
  const showMore = useCallback(() => setWanted({ uri, bytes: bytes + PART_BYTES }), [uri, bytes]);
  const shown = read?.uri === uri ? read.content : READING;
  return { shown, retry, showMore: bytes < MAX_SHOWN_BYTES ? showMore : undefined };
}

/** Reads a file, or the first `bytes` of a large one. */
async function readFile(link: HostLink, uri: URI, bytes: number): Promise<ShownContent> {
  try {
    const { size = 0 } = (await link.client?.files.resolve(uri)) ?? {};
    if (size > MAX_SHOWN_BYTES && link.client !== undefined) {
      const part = await link.client.files.readRange(uri, { start: 0, length: bytes });
      return { state: 'read', ...beginningOf(part), size: part.size };
    }
    const content = await readResource(link, uri);
    return { state: 'read', content, size: content.bytes.length, isCut: false };
  } catch (error) {
    return error instanceof RpcError && error.code === ErrorCodes.NotFound
      ? { state: 'gone' }
      : { state: 'failed', reason: messageOf(error) };
  }
}

/** The whole lines of the beginning of a file. */
function beginningOf({ bytes, size, contentType }: FileRange): { content: ReadContent; isCut: boolean } {
  const isCut = bytes.length < size;
  const end = isCut ? bytes.lastIndexOf(NEWLINE) + 1 : bytes.length;
  // A line that is longer than the part is cut in the middle, where no character is.
  const shown = new Uint8Array(bytes.subarray(0, end === 0 ? characterEnd(bytes) : end));
  return { content: { bytes: shown, text: textOfBytes(shown), contentType }, isCut };
}

const NEWLINE = 0x0a;

/** The end of the last complete character of UTF-8 text. */
function characterEnd(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Math.max(0, end - 1);
}
