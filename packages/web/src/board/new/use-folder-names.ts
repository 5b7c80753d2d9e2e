import type { Folder } from '@agenthost/client';
import { useEffect, useState } from 'react';
import type { HostLink } from '../../live/host-link.ts';
import { useLinkStatus } from '../../live/use-hosts.ts';

/** A folder that is being read. */
export type FolderListing =
  | { readonly state: 'reading' }
  | { readonly state: 'read'; readonly folder: Folder }
  | { readonly state: 'failed'; readonly error: unknown };

const READING: FolderListing = { state: 'reading' };

/** Reads a folder by its URI; an empty one is the host's default folder, `undefined` reads nothing. `version` reads it again. */
export function useFolder(link: HostLink, uri: string | undefined, version = 0): FolderListing {
  const isOnline = useLinkStatus(link).state === 'online';
  const { client } = link;
  const [answer, setAnswer] = useState<{ readonly uri: string; readonly listing: FolderListing }>();
  useEffect(() => {
    if (uri === undefined || client === undefined || !isOnline) return undefined;
    let isWanted = true;
    const show = (listing: FolderListing): void => {
      if (isWanted) setAnswer({ uri, listing });
    };
    client.listFolder(uri).then(
      (folder) => show({ state: 'read', folder }),
      (error: unknown) => show({ state: 'failed', error }),
    );
    return () => {
      isWanted = false;
    };
  }, [client, isOnline, uri, version]);
  return answer !== undefined && answer.uri === uri ? answer.listing : READING;
}
