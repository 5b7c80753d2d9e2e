import { describe, expect, it } from 'vitest';
import { keyLabel, matchesKeys, worksInFields } from './keys.ts';

const press = (
  key: string,
  held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {},
) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

describe('keyboard shortcuts', () => {
  it('takes mod as Ctrl, and as Cmd on Apple devices', () => {
    expect(matchesKeys(press('k', { ctrlKey: true }), 'mod+k', false)).toBe(true);
    expect(matchesKeys(press('k', { metaKey: true }), 'mod+k', true)).toBe(true);
    expect(matchesKeys(press('k', { ctrlKey: true }), 'mod+k', true)).toBe(false);
  });

  it('does not match with a modifier too many or too few', () => {
    expect(matchesKeys(press('k'), 'mod+k', false)).toBe(false);
    expect(matchesKeys(press('n', { ctrlKey: true }), 'n', false)).toBe(false);
    expect(matchesKeys(press('n', { altKey: true }), 'n', false)).toBe(false);
    expect(matchesKeys(press('E', { shiftKey: true }), 'e', false)).toBe(false);
    expect(matchesKeys(press('E', { shiftKey: true }), 'shift+e', false)).toBe(true);
  });

  it('matches a sign with and without Shift, because keyboards differ', () => {
    expect(matchesKeys(press('?', { shiftKey: true }), '?', false)).toBe(true);
    expect(matchesKeys(press('/', { shiftKey: true }), '/', false)).toBe(true);
  });

  it('names keys as the device does', () => {
    expect(keyLabel('mod+k', false)).toBe('Ctrl K');
    expect(keyLabel('mod+shift+k', true)).toBe('⌘⇧K');
    expect(keyLabel('arrowdown', false)).toBe('↓');
    expect(keyLabel('+', false)).toBe('+');
  });

  it('leaves single keys to a text field that has the focus', () => {
    expect(worksInFields('n')).toBe(false);
    expect(worksInFields('mod+k')).toBe(true);
  });
});
