import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Machine } from './cli-process.ts';
import { sourceProgram } from './program.ts';

const preload = new URL('preload.ts', import.meta.url).href;

let machine: Machine;
beforeEach(() => {
  machine = new Machine({ NODE_OPTIONS: `--import=${preload}` }, sourceProgram);
});
afterEach(() => machine.dispose());

const ofCommands = /\/packages\/(?:client|cli\/src\/(?:commands|chat|watch|term|export|question))\//;

/** These modules define commands and their help. The other modules of all commands but `serve` are elsewhere. */
const definitions = /\/(?:commands\/serve|watch\/command|chat\/keys\/[a-z-]+)\.ts$/;

test('serve loads neither the client nor the work of other commands', async () => {
  const log = join(machine.home, 'loaded');
  const host = machine.start(['serve', '--port', '0', '--no-keeper'], { LOADED_MODULES: log });
  await host.until('Ctrl-C stops it.');
  const loaded = readFileSync(log, 'utf8').split('\n');
  expect(loaded).toContainEqual(expect.stringMatching(/\/cli\/src\/commands\/serve\.ts$/));
  expect(loaded.filter((url) => ofCommands.test(url) && !definitions.test(url))).toEqual([]);
});

test('serve stops in order when an upgrade has removed the module that counts terminals', async () => {
  const host = machine.start(['serve', '--port', '0'], { LOST_MODULE: '/open-client.ts' });
  await host.until('Ctrl-C stops it.');
  host.kill('SIGTERM');
  expect(await host.ended).toMatchObject({
    code: 0,
    err: 'stopping; press Ctrl-C again to exit immediately\n',
  });
});

test('invalid roots of the config file are reported one by one, and the host starts', async () => {
  const config = join(machine.home, 'agenthost.json');
  const there = join(machine.home, 'there');
  mkdirSync(there);
  writeFileSync(join(machine.home, 'file'), '');
  const roots = [there, join(machine.home, 'file'), '/no/such\u001b[2J/folder'];
  writeFileSync(config, JSON.stringify({ roots }));
  const { host } = await machine.serve('--config', config);
  await host.until('folder is not a folder');
  host.kill('SIGTERM');
  const { err } = await host.ended;
  expect(err.split('\n').filter((line) => line.includes('roots'))).toEqual([
    `${config}: roots: ${join(machine.home, 'file')} is not a folder; sessions can use it once it exists`,
    `${config}: roots: /no/such/folder is not a folder; sessions can use it once it exists`,
  ]);
  // The option replaces the list of the config file.
  const other = await machine.serve('--config', config, '--root', there);
  other.host.kill('SIGTERM');
  expect((await other.host.ended).err).not.toContain('roots');
});
