import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Line } from '../text/line.ts';
import { lineCells } from '../text/wrap.ts';
import { MarkdownStream, settledMarkdown } from './stream.ts';

const said = (lines: readonly Line[]): string =>
  lines
    .map((spans) =>
      spans
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    )
    .join('\n');

describe('settledMarkdown', () => {
  test.each([
    ['headings', '# One\n\n## Two', 'One\n\nTwo'],
    ['a paragraph over several lines', 'one\ntwo', 'one two'],
    ['hard breaks', 'one  \ntwo', 'one\ntwo'],
    ['lists within lists', '- a\n  - b\n- c', '• a\n  • b\n• c'],
    ['numbered lists', '3. a\n4. b', '3. a\n4. b'],
    ['tasks', '- [ ] open\n- [x] done', '• [ ] open\n• [x] done'],
    ['quotes', '> said\n> so', '│ said so'],
    ['code as it is written', '```ts\nconst a  = 1;\n\n  b();\n```', '▏ts\n▏const a  = 1;\n▏\n▏  b();'],
    ['tables', '| a | bb |\n|---|---:|\n| ccc | d |', 'a   │ bb\n────┼───\nccc │  d'],
    ['rules', 'a\n\n---\n\nb', `a\n\n${'─'.repeat(40)}\n\nb`],
    ['entities', 'a &lt; b &amp; c', 'a < b & c'],
    ['HTML as it is written', '<b>x</b>', '<b>x</b>'],
  ])('shows %s', (_what, source, shown) => {
    expect(said(settledMarkdown(source, 40))).toBe(shown);
  });

  test('shows the target of a link, whatever its text', () => {
    expect(said(settledMarkdown('[bank](https://evil.example)', 60))).toBe('bank (https://evil.example)');
    expect(said(settledMarkdown('<https://a.example>', 60))).toBe('https://a.example');
  });

  test('contains no control sequences', () => {
    const shown = said(
      settledMarkdown('a\u001b[2Jb \u009b31m `c\u001b]0;x\u0007d`\n\n```\n\u001bc\n```', 40),
    );
    expect(shown).not.toMatch(/[\u001b\u009b\u0007]/);
    expect(shown).toContain('ab');
  });

  test('fits into narrow windows, tables included', () => {
    const source =
      '| first column | second column | third |\n|---|---|---|\n| some words | more words here | 日本語の題名 |\n\n- a list with words\n\n> a quote of some length';
    for (const width of [12, 20, 40]) {
      for (const each of settledMarkdown(source, width)) expect(lineCells(each)).toBeLessThanOrEqual(width);
    }
  });
});

/** Without empty lines: a stream cannot know which of them end a block. */
const compact = (lines: readonly Line[]): string => said(lines).replace(/^▏?\n/gm, '');

describe('MarkdownStream', () => {
  const pieces = fc.array(
    fc.constantFrom(
      '# Title\n',
      'words and `code` ',
      '\n',
      '\n\n',
      '- item\n',
      '1. one\n',
      '```ts\n',
      '```\n',
      '> quote\n',
      '| a | b |\n|---|---|\n| c | d |\n',
      '**bold',
      '**',
      '日本語',
      '---\n',
    ),
    { minLength: 1, maxLength: 25 },
  );

  test('gives complete blocks like those of the whole text, wherever the pieces end', () => {
    fc.assert(
      fc.property(pieces, (texts) => {
        // A block of its own at the end, so that all earlier blocks are complete.
        const source = `${texts.join('')}\n\`\`\`\n\nThe end.`;
        const stream = new MarkdownStream(40);
        let lines: readonly Line[] = [];
        for (let end = 1; end <= source.length; end += 7) lines = stream.next(source.slice(0, end));
        lines = stream.next(source);
        expect(compact(lines)).toBe(compact(settledMarkdown(source, 40)));
      }),
      { numRuns: 200 },
    );
  });

  test('lays out only the last block after 10,000 lines', () => {
    const stream = new MarkdownStream(80);
    let source = '';
    for (let row = 0; row < 10_000; row += 1) source += `Line ${row} of **many**.\n\n`;
    stream.next(source);
    const before = stream.next(source);
    const after = stream.next(`${source}One more.`);
    expect(after).toHaveLength(before.length + (before.length === 19_999 ? 2 : 1));
    // Earlier lines are not laid out again: they are the same objects.
    expect(after[5_000]).toBe(before[5_000]);
    expect(said(after.slice(-1))).toBe('One more.');
  });
});

test('quotes that nest 3,000 deep are readable text, complete or growing', () => {
  const source = `before\n\n${'> '.repeat(3_000)}deep\n\nafter\n\nend`;
  const stream = new MarkdownStream(60);
  for (let end = 1; end < source.length; end += 2_500) stream.next(source.slice(0, end));
  const grown = said(stream.next(source));
  for (const text of [grown, said(settledMarkdown(source, 60))]) {
    expect(text).toMatch(/^before/);
    expect(text).toMatch(/deep[^d]*\n\nafter\n\nend$/);
  }
});
