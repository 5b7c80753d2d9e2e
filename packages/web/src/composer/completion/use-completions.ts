import type { ChatHandle } from '@agenthost/client';
import type { CompletionItem } from '@agenthost/protocol';
import { type RefObject, useCallback, useState } from 'react';
import { flushSync } from 'react-dom';
import type { HostLink } from '../../live/host-link.ts';
import type { ChatDraft } from '../draft/chat-draft.ts';
import { isCompletable } from './completion-ask.ts';
import { insertCompletion } from './insert-completion.ts';

/** Completions at the cursor of a message field. */
export interface Completions {
  /** Empty: the list is closed. */
  readonly items: readonly CompletionItem[];
  readonly index: number;
  /** Asks the host, when the cursor is at a word that it may complete. */
  readonly ask: (text: string, offset: number) => void;
  readonly choose: (item: CompletionItem) => void;
  readonly close: () => void;
  /** Handles a key while the list is open. Returns false for keys that the field handles. */
  readonly handleKey: (key: string) => boolean;
}

interface Shown {
  readonly items: readonly CompletionItem[];
  readonly index: number;
  readonly offset: number;
}

const CLOSED: Shown = { items: [], index: 0, offset: 0 };

/** Completions of a message; see `Completions`. */
export function useCompletions(
  link: HostLink,
  chat: ChatHandle,
  draft: ChatDraft,
  field: RefObject<HTMLTextAreaElement | null>,
): Completions {
  const [shown, setShown] = useState(CLOSED);
  const { items, index, offset } = shown;
  const close = useCallback(() => setShown(CLOSED), []);

  const ask = useCallback(
    (text: string, cursor: number): void => {
      const triggers = link.client?.host?.completionTriggerCharacters ?? [];
      if (!isCompletable(text, cursor, triggers)) return setShown(CLOSED);
      chat.complete(text, cursor).then(
        (found) => {
          if (found === undefined) return;
          const isLate = field.current?.value !== text || field.current.selectionEnd !== cursor;
          setShown(isLate || found.length === 0 ? CLOSED : { items: found, index: 0, offset: cursor });
        },
        () => setShown(CLOSED),
      );
    },
    [link, chat, field],
  );

  const choose = useCallback(
    (item: CompletionItem): void => {
      const inserted = insertCompletion(draft.content, offset, item);
      flushSync(() => {
        setShown(CLOSED);
        draft.edit(inserted.draft);
      });
      field.current?.focus();
      field.current?.setSelectionRange(inserted.cursor, inserted.cursor);
      // A folder is followed by completions of its content.
      if (item.attachment.displayKind === 'directory') ask(inserted.draft.text, inserted.cursor);
    },
    [draft, offset, field, ask],
  );

  const handleKey = (key: string): boolean => {
    const item = items[index];
    if (item === undefined) return false;
    const move = (by: number): void =>
      setShown({ ...shown, index: (index + by + items.length) % items.length });
    switch (key) {
      case 'ArrowDown':
        move(1);
        return true;
      case 'ArrowUp':
        move(-1);
        return true;
      case 'Enter':
      case 'Tab':
        choose(item);
        return true;
      case 'Escape':
        close();
        return true;
      default:
        return false;
    }
  };
  return { items, index, ask, choose, close, handleKey };
}
