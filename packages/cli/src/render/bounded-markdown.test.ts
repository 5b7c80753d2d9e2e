import type { Token } from 'marked';
import { expect, test } from 'vitest';
import { boundedTokens } from './bounded-markdown.ts';

/** Depth of nested quote and list tokens. */
function depth(tokens: readonly Token[]): number {
  return Math.max(
    0,
    ...tokens.map((token) => {
      if (token.type === 'blockquote' || token.type === 'list_item') return 1 + depth(token.tokens ?? []);
      return token.type === 'list' ? depth(token.items) : 0;
    }),
  );
}

test.each([
  ['quotes', `${'>'.repeat(3_000)} end`],
  ['list items on one line', `${'- '.repeat(3_000)}end`],
  ['quotes and lists in turn', `${'> 1. '.repeat(3_000)}end`],
  [
    'list items below each other',
    Array.from({ length: 400 }, (_, level) => `${'  '.repeat(level)}- end`).join('\n'),
  ],
  [
    'items indented with tabs',
    Array.from({ length: 400 }, (_, level) => `${'\t'.repeat(level)}- end`).join('\n'),
  ],
])('thousands of nested %s are read with a bounded depth, and their text stays', (_, text) => {
  const tokens = boundedTokens(text);
  expect(depth(tokens)).toBeGreaterThan(10);
  expect(depth(tokens)).toBeLessThanOrEqual(51);
  expect(JSON.stringify(tokens)).toContain('end');
});

test('a text that the lexer rejects becomes paragraphs of plain text', () => {
  const deep = `${'*a _b '.repeat(3_000)}${'b_ a* '.repeat(3_000)}`.trim();
  const plain = (text: string) => ({ type: 'paragraph', text, tokens: [{ type: 'text', text }] });
  expect(boundedTokens(`${deep}\n\nsecond`)).toMatchObject([plain(deep), plain('second')]);
});

test('a long rule and ordinary nesting are unchanged', () => {
  expect(boundedTokens('- '.repeat(100)).map(({ type }) => type)).toStrictEqual(['hr']);
  expect(depth(boundedTokens('> - a\n>   - b\n>     1. c'))).toBe(4);
});
