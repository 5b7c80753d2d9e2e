import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { configFolder, keyFolder } from '../process/files.ts';
import { Screen } from '../render/screen.ts';
import { setKey } from './set-key.ts';

let home = '';
let context: FakeContext & { home: string };
/** Switches of the terminal to bytes as typed, and back. */
let modes: boolean[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agenthost-set-key-'));
  modes = [];
  context = Object.assign(new FakeContext({ isTerminal: true }), { home });
  Object.assign(context.stdin, { setRawMode: (isRaw: boolean) => void modes.push(isRaw) });
  mkdirSync(configFolder(context), { recursive: true });
  const config = { agents: { mine: { kind: 'model', api: 'openai' } } };
  writeFileSync(join(configFolder(context), 'agenthost.json'), JSON.stringify(config));
});
afterEach(() => rmSync(home, { recursive: true }));

/** Types this at the prompt, character by character. */
function typed(keys: string, options = {}): Promise<number> {
  const done = setKey(context, new Screen(context), 'mine', options);
  for (const key of keys) context.stdin.write(key);
  return done;
}

test('a typed key is not shown, can be corrected, and is stored for its owner only', async () => {
  expect(await typed('sk-12\u007f34\r')).toBe(0);
  const file = join(keyFolder(context), 'mine');
  expect(readFileSync(file, 'utf8')).toBe('sk-134\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(modes).toEqual([true, false]);
  expect(context.out + context.err).not.toMatch(/sk-|34/);
  expect(context.err).toContain('Key of mine (it is not shown; empty removes it):');
});

test('an empty key removes the stored one', async () => {
  mkdirSync(keyFolder(context), { recursive: true });
  writeFileSync(join(keyFolder(context), 'mine'), 'sk-1\n', { mode: 0o600 });
  expect(await typed('\r')).toBe(0);
  expect(existsSync(join(keyFolder(context), 'mine'))).toBe(false);
});

test('an empty key removes nothing where a key is needed, as for a login', async () => {
  mkdirSync(keyFolder(context), { recursive: true });
  writeFileSync(join(keyFolder(context), 'mine'), 'sk-1\n', { mode: 0o600 });
  await expect(typed(' \r', { needsKey: true })).rejects.toThrow('no key was given, and nothing was changed');
  expect(readFileSync(join(keyFolder(context), 'mine'), 'utf8')).toBe('sk-1\n');
  expect(context.err).toContain('Key of mine (it is not shown):');
});

test.each([
  ['sk-1\u0003', 'cancelled: the key was not changed'],
  ['two words\r', 'one line of printable ASCII characters'],
])('%j changes nothing, and the terminal is as before', async (keys, message) => {
  await expect(typed(keys)).rejects.toThrow(message);
  expect(existsSync(keyFolder(context))).toBe(false);
  expect(modes).toEqual([true, false]);
});
