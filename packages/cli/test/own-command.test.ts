import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Machine } from './cli-process.ts';
import { builtProgram } from './program.ts';

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

test('a removed working directory is an error of commands that need a folder only', () => {
  const inRemoved = (args: string): string => {
    const script = `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@" ${args}`;
    const options = { cwd: machine.home, env: machine.environment, encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync('sh', ['-c', script, process.execPath, ...builtProgram], options);
    return stdout + stderr;
  };
  expect(inRemoved('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(inRemoved('status')).toContain('no host is running');
  expect(inRemoved('start')).toBe('agenthost: the working directory was removed: change to another folder\n');
});
