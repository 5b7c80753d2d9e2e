import type { CompletionItem } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { EMPTY_DRAFT } from '../draft/draft-content.ts';
import { insertCompletion } from './insert-completion.ts';

const item = (insertText: string, rangeStart: number, rangeEnd: number): CompletionItem => ({
  insertText,
  rangeStart,
  rangeEnd,
  attachment: { type: 'resource', label: insertText, uri: `file:///${insertText}`, _meta: { n: 1 } },
});

describe('[CHAT-16] a chosen completion', () => {
  it('replaces its range and brings its attachment with metadata', () => {
    const { draft, cursor } = insertCompletion({ text: 'see @a please', parts: [] }, 6, item('@a.ts', 4, 6));
    expect(draft.text).toBe('see @a.ts please');
    expect(cursor).toBe(9);
    expect(draft.parts).toMatchObject([{ attachment: { _meta: { n: 1 } }, span: { start: 4, end: 9 } }]);
  });

  it('gets a space behind it at the end of the text', () => {
    const { draft, cursor } = insertCompletion({ ...EMPTY_DRAFT, text: '@' }, 1, item('@a.ts', 0, 1));
    expect(draft.text).toBe('@a.ts ');
    expect(cursor).toBe(6);
  });

  it('replaces an earlier one at the same place, and moves those behind it', () => {
    const first = insertCompletion({ ...EMPTY_DRAFT, text: '@s' }, 2, {
      ...item('@src/', 0, 2),
      attachment: { type: 'resource', label: 'src', uri: 'file:///src', displayKind: 'directory' },
    });
    expect(first.draft.text).toBe('@src/');
    const second = insertCompletion(first.draft, 5, item('@src/a.ts', 0, 5));
    expect(second.draft.parts.map(({ attachment }) => attachment.label)).toEqual(['@src/a.ts']);
    const third = insertCompletion({ ...second.draft, text: second.draft.text }, 0, item('@x', 0, 0));
    expect(third.draft.parts.map(({ span }) => third.draft.text.slice(span?.start, span?.end))).toEqual([
      '@src/a.ts',
      '@x',
    ]);
  });
});
