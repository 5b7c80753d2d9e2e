import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Machine } from './cli-process.ts';

let machine: Machine;
beforeEach(() => {
  // Nothing is installed globally, as after `npm install` in a clone.
  machine = new Machine({ PATH: '/usr/bin:/bin' });
  const bin = join(machine.home, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(fileURLToPath(new URL('../bin/agenthost.js', import.meta.url)), join(bin, 'agenthost'));
});
afterEach(() => machine.dispose());

test('commands that a host and the program advise work in a clone, where `agenthost` is not on PATH', async () => {
  const host = machine.start(['serve', '--port', '0']);
  await host.until('Ctrl-C stops it');
  expect(host.out).toContain(
    'Ask from another terminal, in this folder: npx agenthost run "what is in this folder?"',
  );
  expect(host.out).toContain('`npx agenthost agents`');
  const none = await machine.run(['sessions', 'show', 'nope']);
  expect(none.err).toContain('`npx agenthost sessions` lists them');
  const { out } = await machine.run(['run', '--help']);
  expect(out).toContain('Usage: npx agenthost run ');
  expect(out).toContain('\n  npx agenthost run "what does this project do?"\n');
  expect(out).toContain('| npx agenthost run --json -');
  host.kill('SIGTERM');
  await host.ended;
  expect((await machine.run(['run', 'x'])).err).toContain('start one with `npx agenthost serve`');
});
