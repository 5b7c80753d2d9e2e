import {
  aggregateSession,
  type ChannelKind,
  type ChannelState,
  reduceChannel,
  type StateAction,
} from '@agenthost/protocol';

const AFTER: { readonly [K in ChannelKind]?: (state: ChannelState[K]) => ChannelState[K] } = {
  session: aggregateSession,
};

/** The reducers as the host applies them: a session is aggregated after each step [SESS-5]. */
export function reduceOn<K extends ChannelKind>(
  kind: K,
  state: ChannelState[K],
  action: StateAction,
  time: number,
): ChannelState[K] {
  const next = reduceChannel(kind, state, action, time);
  return AFTER[kind]?.(next) ?? next;
}
