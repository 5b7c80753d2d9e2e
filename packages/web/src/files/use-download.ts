import type { URI } from '@agenthost/protocol';
import { useEffect, useRef, useState } from 'react';
import { reporting } from '../chat/report-outcome.ts';
import { saveBytes } from '../chat/transcript/blob-url.ts';
import type { HostLink } from '../live/host-link.ts';
import { baseName } from '../text/file-path.ts';
import { workspaceText } from '../text/workspace-text.ts';

/** A download of a file. It is cancelled when the component is gone. */
export interface FileDownload {
  /** In percent. Absent: it does not run. */
  readonly progress: number | undefined;
  readonly start: () => void;
}

/** Downloads a file of any size in pieces. The browser gets it when all are there. */
export function useDownload(link: HostLink, uri: URI, path: string): FileDownload {
  const [progress, setProgress] = useState<number | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), [uri]);
  const download = async (abort: AbortController): Promise<void> => {
    const { signal } = abort;
    const { client } = link;
    if (client === undefined) return;
    let size = 0;
    let read = 0;
    const pieces: Blob[] = [];
    try {
      const onSize = (bytes: number): void => {
        size = bytes;
      };
      for await (const piece of client.files.stream(uri, { onSize, signal })) {
        // The browser may keep a blob on disk.
        pieces.push(new Blob([new Uint8Array(piece)]));
        read += piece.length;
        setProgress(size === 0 ? 100 : Math.floor((100 * read) / size));
      }
      saveBytes(new Blob(pieces), baseName(path));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  const start = (): void => {
    if (running.current !== undefined) return;
    const abort = new AbortController();
    running.current = abort;
    setProgress(0);
    void reporting(workspaceText.files.download, () => download(abort)).finally(() => {
      if (running.current === abort) running.current = undefined;
      if (!abort.signal.aborted) setProgress(undefined);
    });
  };
  return { progress, start };
}
