import { ROOT_URI, type ToolInput } from '@agenthost/protocol';
import { useCallback, useState } from 'react';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { text } from '../text/text.ts';
import { showToast } from '../ui/toasts.tsx';

/** The raw input of a tool call. */
export interface RawInput {
  /** The whole text, or its beginning. */
  readonly raw: string;
  readonly isWhole: boolean;
  /** Loads the whole text. Resolves with it, or with `undefined` after a failure, which is shown. */
  readonly load: () => Promise<string | undefined>;
}

/** The input of a tool call; a large one is behind a reference and is loaded when asked for. */
export function useToolInput(link: HostLink, input: ToolInput | undefined): RawInput {
  const [loaded, setLoaded] = useState<{ readonly uri: string; readonly raw: string }>();
  const uri = typeof input === 'object' ? input.uri : undefined;
  const load = useCallback(async (): Promise<string | undefined> => {
    if (uri === undefined) return typeof input === 'string' ? input : undefined;
    try {
      if (link.client === undefined) throw new Error(text.questions.notConnected);
      const params = { channel: ROOT_URI, uri, encoding: 'utf-8' } as const;
      const { data, encoding } = await link.client.request('resourceRead', params);
      if (encoding !== 'utf-8') throw new Error(text.questions.notText);
      setLoaded({ uri, raw: data });
      return data;
    } catch (error) {
      showToast({ message: text.questions.inputFailed(messageOf(error)), kind: 'error' });
      return undefined;
    }
  }, [link, uri, input]);
  if (typeof input !== 'object') return { raw: input ?? '', isWhole: true, load };
  if (loaded !== undefined && loaded.uri === uri) return { raw: loaded.raw, isWhole: true, load };
  return { raw: input['x-beginning'] ?? '', isWhole: false, load };
}
