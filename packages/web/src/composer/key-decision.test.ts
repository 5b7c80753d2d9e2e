import { describe, expect, it } from 'vitest';
import { type FieldKey, fieldCommand } from './key-decision.ts';

const pressed = (key: string, some: Partial<FieldKey> = {}): FieldKey => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  doesEnterBreak: false,
  isRunning: false,
  isEmpty: false,
  ...some,
});

describe('keys of the message field', () => {
  it('Enter sends, and with Shift it breaks the line', () => {
    expect(fieldCommand(pressed('Enter'))).toBe('send');
    expect(fieldCommand(pressed('Enter', { shiftKey: true }))).toBeUndefined();
  });

  it('Enter breaks the line on a touch screen, where Ctrl and Enter still send', () => {
    expect(fieldCommand(pressed('Enter', { doesEnterBreak: true }))).toBeUndefined();
    expect(fieldCommand(pressed('Enter', { doesEnterBreak: true, ctrlKey: true }))).toBe('send');
    expect(fieldCommand(pressed('Enter', { doesEnterBreak: true, metaKey: true }))).toBe('send');
  });

  it('no key is taken from an input method', () => {
    for (const key of ['Enter', 'ArrowUp', 'Escape'])
      expect(fieldCommand(pressed(key, { isComposing: true, isEmpty: true }))).toBeUndefined();
  });

  it('Alt and Enter steer a running turn', () => {
    expect(fieldCommand(pressed('Enter', { altKey: true, isRunning: true }))).toBe('steer');
    expect(fieldCommand(pressed('Enter', { altKey: true }))).toBeUndefined();
  });

  it('the up arrow edits the last message only in an empty field', () => {
    expect(fieldCommand(pressed('ArrowUp', { isEmpty: true }))).toBe('edit-last');
    expect(fieldCommand(pressed('ArrowUp'))).toBeUndefined();
  });
});
