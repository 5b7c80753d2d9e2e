import { describe, expect, test } from 'vitest';
import { completionWordAt } from './word.ts';

/** The word at the bar in a text. */
function at(marked: string) {
  const offset = marked.indexOf('|');
  return completionWordAt(marked.replace('|', ''), offset);
}

describe('[CHAT-16] the word for completions', () => {
  test.each([
    ['@|', '@', '', 0, 1],
    ['see @src/a|', '@', 'src/a', 4, 10],
    ['see (@src/a|)', '@', 'src/a', 5, 11],
    ['see @sr|c/a.ts. Then', '@', 'sr', 4, 13],
    ['see @|src', '@', '', 4, 5],
    ['a\n@b|', '@', 'b', 2, 4],
    ['@node_modules/@scope/x|', '@', 'node_modules/@scope/x', 0, 22],
    ['@"a b|', '@', 'a b', 0, 5],
    ['@"a b|"', '@', 'a b', 0, 6],
    [String.raw`@"a \"b\n|`, '@', 'a "b\n', 0, 9],
    ['/he|', '/', 'he', 0, 3],
    ['/he|lp me', '/', 'he', 0, 5],
    ['#|', '#', '', 0, 1],
    ['as in #12|', '#', '12', 6, 9],
    ['#"two words|', '#', 'two words', 0, 11],
  ])('of %j is the word after its sign, with its range', (marked, ...[trigger, query, start, end]) => {
    expect(at(marked)).toEqual({ trigger, query, start, end });
  });

  test.each([
    '|',
    'word|',
    'me@host|',
    '@a |',
    '# title|',
    '## |',
    'C#|',
    'say /help|',
    '\n/help|',
    '@"a" |',
    '1/2|',
  ])('of %j is undefined', (marked) => {
    expect(at(marked)).toBeUndefined();
  });

  test('counts an emoji as its two code units, and splits none', () => {
    expect(at('👩‍💻 @a👍|')).toEqual({ trigger: '@', query: 'a👍', start: 6, end: 10 });
    // Between the two halves of the emoji.
    expect(completionWordAt('@a👍', 3)).toEqual({ trigger: '@', query: 'a', start: 0, end: 2 });
    expect(completionWordAt('👍@a', 4)).toEqual({ trigger: '@', query: 'a', start: 2, end: 4 });
  });

  test('accepts lone surrogates', () => {
    expect(completionWordAt('\ud83d@\udc4da', 4)).toEqual({
      trigger: '@',
      query: '\udc4da',
      start: 1,
      end: 4,
    });
    expect(completionWordAt('@\ud83d', 2)).toEqual({ trigger: '@', query: '\ud83d', start: 0, end: 2 });
  });

  test('looks back no further than the maximum length of a word', () => {
    const long = 'x'.repeat(1_000_000);
    expect(completionWordAt(`@${long}`, long.length + 1)).toBeUndefined();
    expect(completionWordAt(`/${long}`, long.length + 1)).toBeUndefined();
    expect(completionWordAt(`${long} @a ${long}`, long.length + 3)).toMatchObject({ query: 'a' });
    expect(completionWordAt(`@"${'\\'.repeat(100_000)}`, 100_002)).toBeUndefined();
  });
});
