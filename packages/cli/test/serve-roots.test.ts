import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Machine } from './cli-process.ts';

const machine = new Machine();
afterAll(() => machine.dispose());

test('roots of the config file that are no folders are told, each by itself, and the host starts', async () => {
  const config = join(machine.home, 'agenthost.json');
  const there = join(machine.home, 'there');
  mkdirSync(there);
  writeFileSync(join(machine.home, 'file'), '');
  const roots = [there, join(machine.home, 'file'), '/no/such\u001b[2J/folder'];
  writeFileSync(config, JSON.stringify({ roots }));
  const { host } = await machine.serve('--config', config);
  await host.until('folder is no folder');
  host.kill('SIGTERM');
  const { err } = await host.ended;
  expect(err.split('\n').filter((line) => line.includes('roots'))).toEqual([
    `${config}: roots: ${join(machine.home, 'file')} is no folder; sessions can work there when it is one`,
    `${config}: roots: /no/such/folder is no folder; sessions can work there when it is one`,
  ]);
  // Another list holds.
  const other = await machine.serve('--config', config, '--root', there);
  other.host.kill('SIGTERM');
  expect((await other.host.ended).err).not.toContain('roots');
});
