import {
  type Message,
  type MessageAttachment,
  type MessageChatAttachment,
  type ResponsePart,
  type Turn,
  textOf,
} from '@agenthost/protocol';
import type { Sync } from '../../sync/sync.ts';
import { findOrdinal, readTurn, windowOf } from '../../sync/window.ts';

/** Longest transcript of an attached chat for an agent, in UTF-16 code units. The newest turns are kept. */
const MAX_TRANSCRIPT_LENGTH = 64 * 1024;
/** Limits of the turns that are read for a transcript: their number, and bytes of their JSON. */
const READ_LIMITS = { limit: 200, maxBytes: 4 * 1024 * 1024 };

const isChat = (attachment: MessageAttachment): attachment is MessageChatAttachment =>
  attachment.type === 'chat';

/** Whether a message attaches a chat without naming its last turn. */
export const hasUnpinned = ({ attachments = [] }: Message): boolean =>
  attachments.some((attachment) => isChat(attachment) && attachment.endTurn === undefined);

/**
 * The message with the last completed turn of each attached chat, where the client has named none [CHAT-40]. A chat without completed turns
 * stays without one. Resolves with the URI of the first chat that does not exist instead.
 */
export async function pinChats(
  sync: Sync,
  message: Message,
): Promise<{ readonly message: Message } | { readonly unknown: string }> {
  const attachments: MessageAttachment[] = [];
  for (const attachment of message.attachments ?? []) {
    if (!isChat(attachment) || attachment.endTurn !== undefined) {
      attachments.push(attachment);
      continue;
    }
    const { resource } = attachment;
    const chat = await sync.registry.openOf('chat', resource);
    if (chat?.isAlive !== true) return { unknown: resource };
    const endTurn = chat.state.turns.at(-1)?.id;
    attachments.push(endTurn === undefined ? attachment : { ...attachment, endTurn });
  }
  return { message: { ...message, attachments } };
}

/** The message as an agent gets it: attached chats are texts, with their transcripts up to the pinned turns [CHAT-40]. */
export async function withTranscripts(sync: Sync, message: Message): Promise<Message> {
  if (message.attachments?.some(isChat) !== true) return message;
  const attachments: MessageAttachment[] = [];
  for (const attachment of message.attachments)
    attachments.push(isChat(attachment) ? await asText(sync, attachment) : attachment);
  return { ...message, attachments };
}

async function asText(sync: Sync, attachment: MessageChatAttachment): Promise<MessageAttachment> {
  const { resource, endTurn, ...base } = attachment;
  const turns = endTurn === undefined ? [] : await turnsThrough(sync, resource, endTurn);
  const name = JSON.stringify(attachment.label);
  const modelRepresentation =
    turns === undefined
      ? `[The chat ${name} is attached, but the host no longer has it]`
      : `<chat name=${name}>\n${transcriptOf(turns)}\n</chat>`;
  return { ...base, type: 'simple', modelRepresentation };
}

/** The newest turns of a chat up to one of them; `undefined` if the chat or the turn is gone. */
async function turnsThrough(sync: Sync, uri: string, endTurn: string): Promise<readonly Turn[] | undefined> {
  const chat = await sync.registry.openOf('chat', uri);
  if (chat?.isAlive !== true) return undefined;
  // Commit first, so that the rows match the state.
  return sync.path.boundary(
    () => windowOf(chat),
    async (at) => {
      const ordinal = await findOrdinal(sync.journal, at, endTurn);
      if (ordinal === undefined) return undefined;
      const rows = await sync.journal.readTurns(uri, { before: ordinal + 1, ...READ_LIMITS });
      return rows.map(readTurn);
    },
  );
}

/** The newest turns that fit, oldest first. Chats that they attach are named only. */
function transcriptOf(turns: readonly Turn[]): string {
  const kept: string[] = [];
  let length = 0;
  for (const turn of turns.toReversed()) {
    const text = turnText(turn);
    length += text.length;
    if (length > MAX_TRANSCRIPT_LENGTH && kept.length > 0) break;
    kept.unshift(text.slice(0, MAX_TRANSCRIPT_LENGTH));
  }
  return kept.join('\n\n');
}

function turnText({ message, responseParts }: Turn): string {
  const attached = (message.attachments ?? []).map(({ label }) => label);
  return [
    `User: ${message.text}`,
    ...(attached.length === 0 ? [] : [`(Attached: ${attached.join('; ')})`]),
    ...responseParts.flatMap(partText),
  ].join('\n');
}

function partText(part: ResponsePart): string[] {
  switch (part.kind) {
    case 'markdown':
      return part.content === '' ? [] : [`Agent: ${part.content}`];
    case 'toolCall': {
      const { displayName, invocationMessage, status } = part.toolCall;
      const what = invocationMessage === undefined ? '' : `: ${textOf(invocationMessage)}`;
      return [`(Tool ${displayName}${what}, ${status})`];
    }
    default:
      return [];
  }
}
