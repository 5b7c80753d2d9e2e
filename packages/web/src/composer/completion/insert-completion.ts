import type { CompletionItem } from '@agenthost/protocol';
import { type DraftContent, partOf } from '../draft/draft-content.ts';
import { shiftBy } from '../draft/shift-spans.ts';

/** A draft with a completion in it, and the place of the cursor behind it. */
export function insertCompletion(
  draft: DraftContent,
  offset: number,
  { insertText, rangeStart = offset, rangeEnd = offset, attachment }: CompletionItem,
): { readonly draft: DraftContent; readonly cursor: number } {
  const behind = draft.text.slice(rangeEnd);
  // The next completion lists the content of the folder.
  const isOpen = attachment.displayKind === 'directory';
  const gap = isOpen || /\s$/u.test(insertText) || /^\s/u.test(behind) ? '' : ' ';
  const text = draft.text.slice(0, rangeStart) + insertText + gap + behind;
  const span = { start: rangeStart, end: rangeStart + insertText.trimEnd().length };
  const inserted = insertText.length + gap.length;
  const kept = shiftBy(draft.parts, { start: rangeStart, end: rangeEnd, inserted }, text);
  return {
    draft: { ...draft, text, parts: [...kept, partOf(attachment, span)] },
    cursor: rangeStart + inserted,
  };
}
