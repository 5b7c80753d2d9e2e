import { type AhpClient, inFolder } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { useLinkStatus } from '../live/use-hosts.ts';
import type { ReadFolder } from './folder-rows.ts';
import { readIgnoreRules } from './git-ignore.ts';

/** Name of the file that names ignored files. */
const RULES = '.gitignore';

/** The folders that are read so far, and whether their changes are seen. */
export interface FolderTree {
  readonly read: ReadonlyMap<URI, ReadFolder>;
  readonly isWatched: boolean;
  readonly reload: () => void;
}

/** Reads the open folders below `root`, and reads a folder again when its entries change. */
export function useFolderTree(link: HostLink, root: URI, open: ReadonlySet<URI>): FolderTree {
  const isOnline = useLinkStatus(link).state === 'online';
  const { client } = link;
  const [read, setRead] = useState<ReadonlyMap<URI, ReadFolder>>(new Map());
  const [isWatched, setWatched] = useState(true);
  const begun = useRef(new Set<URI>());
  const load = useCallback(
    (uri: URI): void => {
      if (client === undefined) return;
      begun.current.add(uri);
      void readFolder(client, uri).then((folder) => {
        if (begun.current.has(uri)) setRead((before) => new Map(before).set(uri, folder));
      });
    },
    [client],
  );
  const reload = useCallback(() => {
    for (const uri of Array.from(begun.current)) load(uri);
  }, [load]);
  useEffect(() => {
    if (!isOnline) return;
    for (const uri of [root, ...open]) if (!begun.current.has(uri)) load(uri);
  }, [isOnline, root, open, load]);
  useEffect(() => {
    if (client === undefined || !isOnline) return undefined;
    let isOver = false;
    let close = (): void => {
      isOver = true;
    };
    client
      .watch(root, { recursive: true, gitignore: true }, ({ changes, isMissed }) => {
        if (isMissed) return reload();
        const touched = new Set(
          changes.flatMap(({ uri, type }) =>
            type === 'updated' && !uri.endsWith(`/${RULES}`) ? [] : [uri.slice(0, uri.lastIndexOf('/'))],
          ),
        );
        for (const uri of touched) if (begun.current.has(uri)) load(uri);
      })
      .then((watch) => {
        if (isOver) return watch.close();
        setWatched(true);
        close = () => watch.close();
        // What changed before the watch began.
        reload();
        return watch.ended.then((reason) => {
          if (reason !== undefined) setWatched(false);
        });
      })
      .catch(() => setWatched(false));
    return () => close();
  }, [client, isOnline, root, load, reload]);
  return { read, isWatched, reload };
}

async function readFolder(client: AhpClient, uri: URI): Promise<ReadFolder> {
  try {
    const folder = await client.files.list(uri);
    if (!folder.entries.some(({ name }) => name === RULES))
      return { state: 'read', folder, rules: undefined };
    const content = await client.files.read(inFolder(uri, RULES)).catch(() => undefined);
    const rules = content?.text === undefined ? undefined : readIgnoreRules(content.text);
    return { state: 'read', folder, rules };
  } catch (error) {
    return { state: 'failed', reason: messageOf(error) };
  }
}
