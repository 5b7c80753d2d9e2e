import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { isCheckOff, newer, newerVersion } from './newer-version.ts';

test.each([
  ['0.2.0', '0.1.9', '0.2.0'],
  ['0.10.0', '0.9.0', '0.10.0'],
  ['0.1.0', '0.1.0', undefined],
  ['0.1.0', '0.2.0', undefined],
  ['1.0.0', '1.0.0-beta.1', '1.0.0'],
  ['1.0.0-beta.2', '0.9.0', undefined],
  ['\u001b[31m9.9.9', '0.1.0', undefined],
  [undefined, '0.1.0', undefined],
])('a registry that has %s tells a program of version %s of %s', (latest, present, told) => {
  expect(newer(latest, present)).toBe(told);
});

test('is asked for once a day, also if npm fails, and a broken memory is replaced', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-newer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const context = new FakeContext();
  context.env = { XDG_STATE_HOME: folder, PATH: `${folder}:/usr/bin:/bin` };
  Object.assign(context, { home: folder });
  const npm = (script: string): void => {
    writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho "$@" >> ${folder}/calls\n${script}\n`);
    chmodSync(join(folder, 'npm'), 0o755);
  };
  const calls = (): number => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n').length;
  const hour = 3_600_000;
  const ask = (now: number) => newerVersion(context, { now, limitMs: 60_000 });
  npm('exit 1');
  expect(await ask(0)).toBeUndefined();
  npm('echo 9.0.0');
  expect(await ask(23 * hour)).toBeUndefined();
  expect(calls()).toBe(1);
  expect(await ask(25 * hour)).toBe('9.0.0');
  expect(await ask(26 * hour)).toBe('9.0.0');
  expect(calls()).toBe(2);
  mkdirSync(join(folder, 'agenthost'), { recursive: true });
  writeFileSync(join(folder, 'agenthost/update-check.json'), '{"checkedAt":"x"');
  expect(await ask(27 * hour)).toBe('9.0.0');
  expect(calls()).toBe(3);
});

test('the usual variables and the config file switch it off', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-newer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const isOff = (env: Record<string, string>): Promise<boolean> => {
    const context = new FakeContext();
    context.env = { XDG_CONFIG_HOME: folder, ...env };
    return isCheckOff(context);
  };
  expect(await isOff({})).toBe(false);
  expect(await isOff({ CI: '' })).toBe(false);
  expect(await isOff({ CI: 'true' })).toBe(true);
  expect(await isOff({ NO_UPDATE_NOTIFIER: '1' })).toBe(true);
  mkdirSync(join(folder, 'agenthost'));
  writeFileSync(join(folder, 'agenthost/agenthost.json'), '{"updateCheck":false}');
  expect(await isOff({})).toBe(true);
});
