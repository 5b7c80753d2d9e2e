import type { ChatAction } from '@agenthost/protocol';
import type { Caller } from '../../handler-port/channel-module.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Tx } from '../../sync/tx.ts';
import { type ContentStore, previewOf } from '../../turns/contents/content-store.ts';
import { completeCall, failure } from '../../turns/tools/client-tool.ts';
import { findToolCall } from '../../turns/tools/tool-call.ts';

/**
 * Completes a running call as failed if its own client denies it, because the client does not know the tool. The
 * late denial itself is rejected [CHAT-9].
 */
export function failDeniedCall(
  tx: Tx,
  chat: Channel<'chat'>,
  action: ChatAction,
  { clientId }: Caller,
): void {
  if (action.type !== 'chat/toolCallConfirmed' || action.approved) return;
  if (chat.state.activeTurn?.id !== action.turnId) return;
  const call = findToolCall(chat.state, action.toolCallId);
  if (call?.status !== 'running' || call.contributor?.kind !== 'client') return;
  if (call.contributor.clientId !== clientId) return;
  const error = failure('unknownTool', `The client does not run the tool ${call.toolName}`);
  completeCall(tx, chat, action.toolCallId, error);
}

/**
 * A client's result or partial content, cut in the same way as that of agents. The whole is stored behind
 * content URIs.
 */
export function fitClientResult(
  contents: ContentStore,
  chat: Channel<'chat'>,
  action: ChatAction,
): ChatAction {
  if (action.type === 'chat/toolCallContentChanged') {
    const content = previewOf(action.content);
    return content.length === action.content.length &&
      content.every((block, at) => block === action.content[at])
      ? action
      : { ...action, content };
  }
  if (action.type !== 'chat/toolCallComplete') return action;
  const { turnId } = action;
  const result = contents.fit({ session: chat.session ?? '', chat: chat.uri, turnId }, action.result);
  return result === action.result ? action : { ...action, result };
}
