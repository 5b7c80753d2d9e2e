import { describe, expect, it } from 'vitest';
import { panelCommand } from './approval-keys.ts';

const plain = { ctrlKey: false, metaKey: false, altKey: false, isComposing: false };

describe('keys of an approval panel', () => {
  it.each([
    ['a', 'allow'],
    ['D', 'deny'],
    ['e', 'edit'],
    ['1', { option: 0 }],
    ['9', { option: 8 }],
  ])('%s is a command', (key, command) => {
    expect(panelCommand({ ...plain, key })).toEqual(command);
  });

  it('are single keys: with a modifier and while composing they do nothing', () => {
    expect(panelCommand({ ...plain, key: 'a', ctrlKey: true })).toBeUndefined();
    expect(panelCommand({ ...plain, key: 'a', metaKey: true })).toBeUndefined();
    expect(panelCommand({ ...plain, key: 'a', altKey: true })).toBeUndefined();
    expect(panelCommand({ ...plain, key: 'a', isComposing: true })).toBeUndefined();
  });

  it('leave other keys alone', () => {
    for (const key of ['0', 'Enter', ' ', 'x']) expect(panelCommand({ ...plain, key })).toBeUndefined();
  });
});
