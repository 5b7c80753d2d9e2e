import { type AhpClient, openMcpServers } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { useCallback, useEffect, useRef, useState } from 'react';
import { reporting } from '../chat/report-outcome.ts';
import { onReturned, type Returned, redirectUri } from '../oauth/redirects.ts';
import { mcpText } from '../text/mcp-text.ts';

/** A sign-in in another tab. */
interface RunningSignIn {
  readonly id: string;
  /** Set when the browser has blocked the tab. */
  readonly url?: string;
}

/** Signs in to the MCP servers of a session in a new tab. `done` is called after a success. */
export function useSignIn(client: AhpClient | undefined, session: URI, done: () => void) {
  const [running, setRunning] = useState<RunningSignIn>();
  /** Each ends the wait for one tab. */
  const waits = useRef(new Set<() => void>());
  useEffect(() => {
    const all = waits.current;
    return () => {
      for (const leave of all) leave();
      all.clear();
    };
  }, [client, session]);
  const begin = useCallback(
    (id: string): void => {
      if (client === undefined) return;
      // A tab that is opened later is blocked as a pop-up.
      const tab = window.open('about:blank', '_blank');
      if (tab !== null) tab.opener = null;
      setRunning({ id });
      const finish = ({ id: state, code, error = mcpText.noCode, ...rest }: Returned): void => {
        setRunning(undefined);
        void reporting(mcpText.signIn, async () => {
          if (code === undefined) throw new Error(error);
          await (await openMcpServers(client)).finishSignIn(session, { ...rest, state, code });
          done();
        });
      };
      void reporting(mcpText.signIn, async () => {
        try {
          const servers = await openMcpServers(client);
          const { url, state } = await servers.startSignIn(session, id, redirectUri());
          if (!/^https?:$/.test(new URL(url).protocol)) throw new Error(mcpText.badUrl);
          const leave = onReturned(state, (returned) => {
            // A code works once.
            leave();
            waits.current.delete(leave);
            finish(returned);
          });
          waits.current.add(leave);
          if (tab === null) setRunning({ id, url });
          else tab.location.href = url;
        } catch (error) {
          tab?.close();
          setRunning(undefined);
          throw error;
        }
      });
    },
    [client, session, done],
  );
  return { running, begin };
}
