import { type ChatState, fitTexts, isApart } from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import { fitState } from '../../sync/fit-state.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { type AttachmentStore, waitingContents } from './attachment-store.ts';

/**
 * Reduces channels that an older host stored to today's limits when they are loaded: moves attachments of
 * waiting messages out of state and cuts other texts. No action describes this change, so clients that have
 * the old state get a snapshot when they return.
 */
export function fitLoaded(sync: Sync, attachments: AttachmentStore): void {
  sync.registry.onLoaded((channel) => {
    const isChat = channel.is('chat');
    const isLarge = isChat && hasLargeAttachment(channel.state);
    const fitted = fitState(channel.kind, channel.state);
    const hostData = fitTexts(channel.hostData, channel.kind);
    if (!isLarge && fitted === channel.state && hostData === channel.hostData) return;
    sync.transact('host', (tx) => {
      if (isChat) moveAttachments(tx, attachments, channel);
      tx.setWindow(channel, fitState(channel.kind, channel.state));
      tx.setHostData(channel, { ...hostData, bornSeq: sync.emittedSeq });
      if (channel.is('session')) {
        const { summary } = channel.hostData;
        const { resource: uri, modifiedAt } = summary;
        tx.write({ op: 'session', uri, modifiedAt, summary: JSON.stringify(summary) });
      }
      sync.registry.writeSnapshot(tx, channel);
    });
  });
}

const waitingOf = ({ draft, steeringMessage, queuedMessages = [] }: ChatState) => [
  ...(draft === undefined ? [] : [draft]),
  ...(steeringMessage === undefined ? [] : [steeringMessage.message]),
  ...queuedMessages.map(({ message }) => message),
];

const hasLargeAttachment = (state: ChatState): boolean =>
  waitingOf(state).some(({ attachments = [] }) =>
    attachments.some((each) => each.type === 'embeddedResource' && isApart(each)),
  );

function moveAttachments(tx: Tx, attachments: AttachmentStore, chat: Channel<'chat'>): void {
  const { state } = chat;
  const place = { session: chat.session ?? '', chat: chat.uri };
  const known = waitingContents(state);
  const moved: ChatState = { ...state };
  if (state.draft !== undefined) moved.draft = attachments.storeWaiting(tx, place, state.draft, known);
  if (state.steeringMessage !== undefined) {
    const { id, message } = state.steeringMessage;
    moved.steeringMessage = { id, message: attachments.storeWaiting(tx, place, message, known) };
  }
  if (state.queuedMessages !== undefined) {
    moved.queuedMessages = state.queuedMessages.map(({ id, message }) => ({
      id,
      message: attachments.storeWaiting(tx, place, message, known),
    }));
  }
  tx.setWindow(chat, moved);
}
