import { describe, expect, it } from 'vitest';
import { isCompletable } from './completion-ask.ts';

const triggers = ['@', '/', '#'];
/** The cursor is at the bar. */
const at = (marked: string): boolean => {
  const offset = marked.indexOf('|');
  return isCompletable(marked.replace('|', ''), offset, triggers);
};

describe('[CHAT-16] completions are asked for', () => {
  it.each(['@|', 'see @src/a|', '(@a|', '#3|', '/comp|', 'a\n@b|', '@"my fi|', '@"my fi|le"'])(
    'at %s',
    (text) => {
      expect(at(text)).toBe(true);
    },
  );

  it.each(['|', 'word|', 'me@home|', 'and/or|', ' /comp|', '@a |', '@"my file"|', '@a b|'])(
    'not at %s',
    (text) => {
      expect(at(text)).toBe(false);
    },
  );
});
