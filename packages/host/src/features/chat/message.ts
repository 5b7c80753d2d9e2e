import type { ChatAction } from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import type { Tx } from '../../sync/tx.ts';
import { type AttachmentStore, waitingContents } from '../../turns/contents/attachment-store.ts';

/** A client's action with large attachments of its message replaced by references. */
export function fitMessage(
  tx: Tx,
  attachments: AttachmentStore,
  chat: Channel<'chat'>,
  action: ChatAction,
): ChatAction {
  const place = { session: chat.session ?? '', chat: chat.uri };
  switch (action.type) {
    case 'chat/turnStarted': {
      const message = attachments.storeForTurn(tx, place, action.message, action.turnId);
      return message === action.message ? action : { ...action, message };
    }
    case 'chat/pendingMessageSet': {
      const message = attachments.storeWaiting(tx, place, action.message, waitingContents(chat.state));
      return message === action.message ? action : { ...action, message };
    }
    case 'chat/draftChanged': {
      if (action.draft === undefined) return action;
      const draft = attachments.storeWaiting(tx, place, action.draft, waitingContents(chat.state));
      return draft === action.draft ? action : { ...action, draft };
    }
    default:
      return action;
  }
}
