import {
  type ChatInteractivity,
  type ChatOrigin,
  type ChatState,
  type ChatSummary,
  channelUri,
  SessionStatus,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Ids } from '../lib/clock.ts';

/** Initial values of a chat. */
export interface NewChat {
  readonly resource: URI;
  /** ISO 8601. */
  readonly modifiedAt: string;
  /** Default: ''. */
  readonly title?: string;
  /** Default: `{ kind: 'user' }`. */
  readonly origin?: ChatOrigin;
  /** Default: `full`. */
  readonly interactivity?: ChatInteractivity;
  /** `file:` URIs, the primary one first. Default: those of the session. */
  readonly workingDirectories?: URI[] | undefined;
  /** Whether clients may move it to another session [SESS-29]. Default: absent, which means false. */
  readonly movable?: boolean;
}

/** The state of a new chat, idle and without turns. */
export const newChat = (init: NewChat): ChatState => ({
  resource: init.resource,
  title: init.title ?? '',
  status: SessionStatus.Idle,
  modifiedAt: init.modifiedAt,
  origin: init.origin ?? { kind: 'user' },
  ...defined({
    interactivity: init.interactivity,
    workingDirectories: init.workingDirectories,
    movable: init.movable,
  }),
  turns: [],
});

/** The entry of a chat in its session's list. */
export function summaryOf(state: ChatState): ChatSummary {
  const { resource, title, status, modifiedAt, origin, interactivity, workingDirectories, changes, movable } =
    state;
  return {
    resource,
    title,
    status,
    modifiedAt,
    ...defined({ origin, interactivity, workingDirectories, changes, movable }),
  };
}

/** A new URI for a session that the host creates. */
export const newSessionUri = (ids: Ids): URI => channelUri('session', ids.next());

/** A new URI for a chat that the host creates. */
export const newChatUri = (ids: Ids): URI => channelUri('chat', ids.next());
