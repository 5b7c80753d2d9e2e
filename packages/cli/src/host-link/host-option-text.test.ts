import { expect, test } from 'vitest';
import { hostOptionText } from './host-option-text.ts';

test.each([
  [{}, ''],
  [{ url: 'http://127.0.0.1:4711' }, ' --url http://127.0.0.1:4711'],
  [
    { url: 'wss://me:secret@host.example/ahp?token=secret', fingerprint: 'AB:CD' },
    ' --url wss://host.example/ahp --fingerprint AB:CD',
  ],
  [{ url: 'ws://host/ahp?a=1&b=2' }, " --url 'ws://host/ahp?a=1&b=2'"],
])('[AUTH-1] %j is told to another command as%s, without what is secret', (options, text) => {
  expect(hostOptionText(options)).toBe(text);
});
