import { LIST_LIMITS, type MessageAttachment } from '@agenthost/protocol';
import { type ClipboardEvent, useMemo } from 'react';
import { messageOf } from '../../live/host-link.ts';
import { text } from '../../text/text.ts';
import { showToast } from '../../ui/toasts.tsx';
import type { ChatDraft } from '../draft/chat-draft.ts';
import { type DraftPart, partOf } from '../draft/draft-content.ts';
import { attachmentOf, textAttachmentOf, textIn } from './read-file.ts';

/** A pasted text that is longer becomes an attachment. UTF-16 code units. */
const LONG_TEXT = 4_000;

/** Adds and removes attachments of a draft. */
export interface Attaching {
  readonly addFiles: (files: Iterable<File>) => void;
  readonly add: (attachment: MessageAttachment) => void;
  readonly remove: (part: DraftPart) => void;
  /** Puts the text of an attachment into the message. */
  readonly expand: (part: DraftPart) => void;
  readonly onPaste: (event: ClipboardEvent) => void;
}

/** Adds and removes attachments of a draft. Failures are shown in toasts. */
export function useAttachments(draft: ChatDraft): Attaching {
  return useMemo(() => {
    const add = (attachment: MessageAttachment): void => {
      const { content } = draft;
      if (content.parts.length >= LIST_LIMITS.attachments.max)
        throw new Error(text.composer.tooMany(LIST_LIMITS.attachments.max));
      draft.edit({ ...content, parts: [...content.parts, partOf(attachment)] });
    };
    const addWhenRead = async (read: Promise<MessageAttachment>): Promise<void> => {
      try {
        add(await read);
      } catch (error) {
        showToast({ message: messageOf(error), kind: 'error' });
      }
    };
    const addFiles = (files: Iterable<File>): void => {
      for (const file of files) void addWhenRead(attachmentOf(file));
    };
    const remove = ({ id }: DraftPart): void =>
      draft.edit({ ...draft.content, parts: draft.content.parts.filter((part) => part.id !== id) });
    return {
      addFiles,
      add: (attachment) => void addWhenRead(Promise.resolve(attachment)),
      remove,
      expand: (part) => {
        const expanded = textIn(part.attachment);
        if (expanded === undefined) return;
        remove(part);
        const { content } = draft;
        const gap = content.text === '' || content.text.endsWith('\n') ? '' : '\n';
        draft.edit({ ...content, text: content.text + gap + expanded });
      },
      onPaste: (event) => {
        const { files } = event.clipboardData;
        const pasted = event.clipboardData.getData('text/plain');
        // Spreadsheet and word processors copy an image beside the text.
        if (files.length > 0 && pasted === '') addFiles(Array.from(files));
        else if (pasted.length > LONG_TEXT) void addWhenRead(textAttachmentOf(pasted));
        else return;
        event.preventDefault();
      },
    };
  }, [draft]);
}
