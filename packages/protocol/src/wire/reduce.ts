import { annotationsReducer } from '../annotations/reducer.ts';
import { automationReducer } from '../automation/reducer.ts';
import { automationRunReducer } from '../automation-run/reducer.ts';
import { canvasReducer } from '../canvas/reducer.ts';
import { changesetReducer } from '../changeset/reducer.ts';
import { chatReducer } from '../chat/reducer.ts';
import { resourceWatchReducer } from '../resource-watch/reducer.ts';
import { rootReducer } from '../root/reducer.ts';
import { aggregateSession } from '../session/aggregate.ts';
import { sessionReducer } from '../session/reducer.ts';
import { terminalReducer } from '../terminal/reducer.ts';
import type { ChannelKind, ChannelState } from './channels.ts';
import type { StateAction } from './envelope.ts';

type Reducers = {
  [K in ChannelKind]: (state: ChannelState[K], action: StateAction) => ChannelState[K];
};

const REDUCERS: Reducers = {
  root: rootReducer,
  session: sessionReducer,
  chat: chatReducer,
  terminal: terminalReducer,
  changeset: changesetReducer,
  annotations: annotationsReducer,
  resourceWatch: resourceWatchReducer,
  automation: automationReducer,
  automationRun: automationRunReducer,
  canvas: canvasReducer,
};

/**
 * Reduces one action with the reducer of the channel's kind [ACT-6]. Returns `state` itself for unknown actions, actions of another kind, and actions without effect.
 * Does not aggregate sessions; see `aggregateSession`.
 *
 * @example
 * const next = reduceChannel('chat', state, envelope.action);
 */
export function reduceChannel<K extends ChannelKind>(
  kind: K,
  state: ChannelState[K],
  action: StateAction,
): ChannelState[K] {
  return REDUCERS[kind](state, action);
}

const AFTER: { readonly [K in ChannelKind]?: (state: ChannelState[K]) => ChannelState[K] } = {
  session: aggregateSession,
};

/**
 * Reduces like the host and this project's client: with the channel's reducer, and with `aggregateSession`
 * for sessions [SESS-5].
 */
export function reduceMirrored<K extends ChannelKind>(
  kind: K,
  state: ChannelState[K],
  action: StateAction,
): ChannelState[K] {
  const next = reduceChannel(kind, state, action);
  return AFTER[kind]?.(next) ?? next;
}
