import { type AhpClient, openMcpServers } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { useCallback, useEffect, useRef, useState } from 'react';
import { hostUrl } from '../app/paths.ts';
import { reporting } from '../chat/report-outcome.ts';
import { mcpText } from '../text/mcp-text.ts';
import { readResult, SIGNED_IN_PATH, signInChannel } from './sign-in-channel.ts';

/** A sign-in in another tab. */
interface RunningSignIn {
  readonly id: string;
  /** Set when the browser has blocked the tab. */
  readonly url?: string;
}

/** Signs in to the MCP servers of a session in a new tab. `done` is called after a success. */
export function useSignIn(client: AhpClient | undefined, session: URI, done: () => void) {
  const [running, setRunning] = useState<RunningSignIn>();
  const states = useRef(new Set<string>());
  useEffect(() => {
    const channel = signInChannel();
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      const result = readResult(data);
      if (result === undefined || client === undefined || !states.current.delete(result.state)) return;
      setRunning(undefined);
      void reporting(mcpText.signIn, async () => {
        const { code, error = mcpText.noCode, ...rest } = result;
        if (code === undefined) throw new Error(error);
        await (await openMcpServers(client)).finishSignIn(session, { ...rest, code });
        done();
      });
    });
    return () => channel.close();
  }, [client, session, done]);
  const begin = useCallback(
    (id: string): void => {
      if (client === undefined) return;
      // A tab that is opened later is blocked as a pop-up.
      const tab = window.open('about:blank', '_blank');
      if (tab !== null) tab.opener = null;
      setRunning({ id });
      void reporting(mcpText.signIn, async () => {
        try {
          const redirect = hostUrl(SIGNED_IN_PATH).href;
          const { url, state } = await (await openMcpServers(client)).startSignIn(session, id, redirect);
          if (!/^https?:$/.test(new URL(url).protocol)) throw new Error(mcpText.badUrl);
          states.current.add(state);
          if (tab === null) setRunning({ id, url });
          else tab.location.href = url;
        } catch (error) {
          tab?.close();
          setRunning(undefined);
          throw error;
        }
      });
    },
    [client, session],
  );
  return { running, begin };
}
