import type { ChatHandle } from '@agenthost/client';
import { LIST_LIMITS, type MessageAttachment, TEXT_LIMITS } from '@agenthost/protocol';
import { partOf } from '../composer/draft/draft-content.ts';
import { draftOfChat } from '../composer/use-draft.ts';
import { visibleText } from '../text/visible-text.ts';

/** Member of `_meta` that names the tool call whose view has made an attachment. */
const VIEW = 'mcpView';

/** Whether the page has a message field for a chat. */
export const hasField = (chat: ChatHandle): boolean => draftOfChat(chat) !== undefined;

/** Puts a text at the end of the message that is being written. It never becomes a command of the terminal: `prefix` marks those. */
export function writeText(chat: ChatHandle, text: string, prefix: string | undefined): void {
  const draft = draftOfChat(chat);
  if (draft === undefined) return;
  const { content } = draft;
  const shown = visibleText(text);
  const isCommand = prefix !== undefined && prefix !== '' && shown.startsWith(prefix);
  const before = content.text === '' ? (isCommand ? ' ' : '') : `${content.text.trimEnd()}\n\n`;
  draft.edit({ ...content, text: before + shown });
}

/** Attaches a text to the message that is being written, in place of the one of the same view. '' removes it. */
export function attachContext(
  chat: ChatHandle,
  { view, label, text }: { readonly view: string; readonly label: string; readonly text: string },
): void {
  const draft = draftOfChat(chat);
  if (draft === undefined) return;
  const { content } = draft;
  const { parts } = content;
  const others = parts.filter(({ attachment }) => attachment._meta?.[VIEW] !== view);
  const bytes = new TextEncoder().encode(text);
  const attachment: MessageAttachment = {
    type: 'embeddedResource',
    label: label.slice(0, TEXT_LIMITS.name.max),
    displayKind: 'document',
    contentType: 'text/plain',
    data: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')),
    _meta: { [VIEW]: view },
  };
  const isFull = others.length >= LIST_LIMITS.attachments.max;
  const isNew = text !== '' && !parts.some((part) => isSame(part.attachment, attachment));
  if (text === '' ? others.length === parts.length : isFull || !isNew) return;
  draft.edit({ ...content, parts: text === '' ? others : [...others, partOf(attachment)] });
}

const isSame = (one: MessageAttachment, other: MessageAttachment): boolean =>
  one.type === 'embeddedResource' &&
  other.type === 'embeddedResource' &&
  one.data === other.data &&
  one._meta?.[VIEW] === other._meta?.[VIEW];
