import type { ChatHandle, SessionHandle } from '@agenthost/client';
import type { AgentInfo, URI } from '@agenthost/protocol';
import { type ComponentType, createContext, use } from 'react';
import type { HostLink } from '../live/host-link.ts';
import type { QuestionTarget } from '../questions/question-target.ts';
import type { Row } from './transcript/rows.ts';

/** Props of a row of a transcript. */
export interface RowProps {
  readonly row: Row;
  readonly isHighlighted: boolean;
}

/** What the parts of a transcript need. The value stays the same while its chat is shown. */
export interface ChatScope {
  readonly link: HostLink;
  readonly session: SessionHandle;
  readonly chat: ChatHandle;
  /** Where answers of this chat go. */
  readonly target: QuestionTarget;
  /** The session's agent. Absent: the host does not offer it now. */
  readonly agent: AgentInfo | undefined;
  readonly mayAct: boolean;
  /** Whether the transcript is inside a tool call of another chat. */
  readonly isNested: boolean;
  /** Shows one row. A tool call may contain the transcript of its worker, whose rows contain tool calls again. */
  readonly RowView: ComponentType<RowProps>;
  /** Opens a chat of the session as a tab. */
  readonly openChat: (chat: URI) => void;
  /** Opens another session of the same host. */
  readonly openSession: (session: URI) => void;
}

const ChatScopeContext = createContext<ChatScope | undefined>(undefined);

/** Gives the chat to the parts of its transcript. */
export const ChatScopeProvider = ChatScopeContext.Provider;

/** The chat of the surrounding transcript. */
export function useChatScope(): ChatScope {
  const scope = use(ChatScopeContext);
  if (scope === undefined) throw new Error('useChatScope needs a ChatScopeProvider around it');
  return scope;
}
