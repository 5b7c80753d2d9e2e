import {
  type ChannelKind,
  type ChannelState,
  type ClientAction,
  type ClientToHostRequests,
  ROOT_URI,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { RpcError } from '@agenthost/rpc';
import type { Channel } from './channel.ts';
import { type DispatchableAction, Mirror } from './mirror.ts';
import type { DispatchOutcome } from './pending-actions.ts';
import type { Subscription } from './subscriptions.ts';

/** What mirrors need of the client. */
export interface MirrorPort {
  dispatch(uri: URI, action: ClientAction): Promise<DispatchOutcome>;
  request<M extends 'fetchTurns' | 'completions' | 'resourceRead'>(
    method: M,
    params: ClientToHostRequests[M]['params'],
    options?: { readonly signal?: AbortSignal },
  ): Promise<ClientToHostRequests[M]['result']>;
}

/** Makes a mirror of a held channel. `release` is called when the mirror is disposed. */
export function mirrorOf<K extends ChannelKind>(
  subscription: Subscription,
  channel: Channel<K>,
  port: MirrorPort,
  release: () => void,
): Mirror<K> {
  const { uri } = channel;
  return new Mirror<K>(channel, {
    dispatch: (action: DispatchableAction<K>) => port.dispatch(uri, action),
    fetchOlderTurns: () => {
      subscription.fetching ??= fetchTurns(subscription.channel, port).finally(() => {
        subscription.fetching = undefined;
      });
      return subscription.fetching;
    },
    readTurnsBefore: (before, limit, signal) =>
      port.request('fetchTurns', { channel: uri, before, limit }, defined({ signal })),
    complete: async (text, offset, signal) => {
      const params = { channel: uri, kind: 'userMessage' as const, text, offset };
      return (await port.request('completions', params, { signal })).items;
    },
    readContent: async (resource) => {
      const params = { channel: ROOT_URI, uri: resource, encoding: 'base64' } as const;
      try {
        return await port.request('resourceRead', params);
      } catch (error) {
        if (error instanceof RpcError) return undefined;
        throw error;
      }
    },
    release,
  });
}

async function fetchTurns(channel: Channel<ChannelKind>, port: MirrorPort): Promise<boolean> {
  const cursor = cursorOf(channel.confirmed);
  if (cursor === undefined) return false;
  // The turns arrive as an envelope before the answer [CHAT-15]. A chat without a window gets no envelope.
  await port.request('fetchTurns', { channel: channel.uri, cursor });
  return cursorOf(channel.confirmed) !== cursor;
}

function cursorOf(state: ChannelState[ChannelKind]): string | undefined {
  return 'turns' in state ? state.turnsNextCursor : undefined;
}
