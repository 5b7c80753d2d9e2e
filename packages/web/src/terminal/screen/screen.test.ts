import { describe, expect, it } from 'vitest';
import { findLinks } from './find-links.ts';
import { needsConfirmation, pastedKeys } from './paste-text.ts';
import { screenCommand, withControl } from './screen-keys.ts';

describe('findLinks', () => {
  it('finds web addresses without the punctuation around them', () => {
    expect(findLinks('see (https://a.example/x_(y)), or http://b.example:80/.')).toEqual([
      { url: 'https://a.example/x_(y)', start: 5, end: 27 },
      { url: 'http://b.example:80/', start: 34, end: 53 },
    ]);
  });

  it('finds no other schemes and no control characters', () => {
    expect(findLinks('javascript:alert(1) file:///etc/passwd')).toEqual([]);
    expect(findLinks('http://a.example/\u202ex\u0007y').map(({ url }) => url)).toEqual([
      'http://a.example/\u202ex',
    ]);
  });
});

describe('paste', () => {
  it('asks before it pastes several lines into a program without bracketed paste', () => {
    expect(needsConfirmation('ls\nrm -r x', false)).toBe(true);
    expect(needsConfirmation('ls\nrm -r x', true)).toBe(false);
    expect(needsConfirmation('ls\n', false)).toBe(false);
  });

  it('cannot be ended early by the text', () => {
    expect(pastedKeys('a\u001b[201~b\r\nc', true)).toBe('\u001b[200~a[201~b\rc\u001b[201~');
  });
});

describe('keys', () => {
  const key = (pressed: string, modifiers = {}) => ({
    key: pressed,
    ctrlKey: false,
    shiftKey: false,
    altKey: false,
    metaKey: false,
    ...modifiers,
  });

  it('leaves ordinary keys to the program', () => {
    expect(screenCommand(key('c', { ctrlKey: true }))).toBeUndefined();
    expect(screenCommand(key('ArrowUp', { ctrlKey: true }))).toBeUndefined();
    expect(screenCommand(key('C', { ctrlKey: true, shiftKey: true }))).toBe('copy');
    expect(screenCommand(key('3', { altKey: true }))).toBe('none');
  });

  it('makes control characters', () => {
    expect(['c', 'C', '[', ' ', 'é', 'ab'].map(withControl)).toEqual([
      '\u0003',
      '\u0003',
      '\u001b',
      '\u0000',
      'é',
      'ab',
    ]);
  });
});
