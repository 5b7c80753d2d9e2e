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

/** What a chat begins with. */
export interface NewChat {
  readonly resource: URI;
  /** ISO 8601. */
  readonly modifiedAt: string;
  /** Default: none yet. */
  readonly title?: string;
  /** Default: a person made it. */
  readonly origin?: ChatOrigin;
  /** Default: `full`. */
  readonly interactivity?: ChatInteractivity;
  /** A `file:` URI. Default: the session's. */
  readonly workingDirectory?: URI | undefined;
}

/** A new chat's state, idle and without turns. */
export const newChat = (init: NewChat): ChatState => ({
  resource: init.resource,
  title: init.title ?? '',
  status: SessionStatus.Idle,
  modifiedAt: init.modifiedAt,
  origin: init.origin ?? { kind: 'user' },
  ...defined({ interactivity: init.interactivity, workingDirectory: init.workingDirectory }),
  turns: [],
});

/** A chat's catalogue entry as it is made. */
export function summaryOf(state: ChatState): ChatSummary {
  const { resource, title, status, modifiedAt, origin, interactivity, workingDirectory } = state;
  return {
    resource,
    title,
    status,
    modifiedAt,
    ...defined({ origin, interactivity, workingDirectory }),
  };
}

/** URI of a chat that the host makes by itself. */
export const newChatUri = (ids: Ids): URI => channelUri('chat', ids.next());
