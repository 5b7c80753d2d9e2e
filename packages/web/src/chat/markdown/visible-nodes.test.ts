import { expect, test } from 'vitest';
import { visibleNodes } from './visible-nodes.ts';

test('hidden characters of all text nodes become visible', () => {
  const tree = {
    children: [{ value: 'a\u202Eb' }, { children: [{ value: 'plain' }, { value: '\u001b[31m' }] }],
  };
  visibleNodes()(tree);
  expect(tree).toEqual({
    children: [{ value: 'a⟨U+202E⟩b' }, { children: [{ value: 'plain' }, { value: '␛[31m' }] }],
  });
});
