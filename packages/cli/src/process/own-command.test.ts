import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commandLine, findOwnCommand, nameOwnCommand } from './own-command.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agenthost-own-command-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function program(...path: string[]): string {
  const file = join(home, ...path, 'agenthost');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  chmodSync(file, 0o755);
  return file;
}

const found = (facts: { path?: string; cwd?: string; file?: string; npm?: boolean }): string =>
  findOwnCommand({
    env: { PATH: facts.path ?? '/nowhere', ...(facts.npm === true ? { npm_execpath: '/npm' } : {}) },
    cwd: facts.cwd ?? home,
    home,
    execPath: '/opt/node',
    file: facts.file ?? join(home, 'packages/cli/bin/agenthost.js'),
  });

test('a program on PATH is called by its name', () => {
  program('bin');
  expect(found({ path: `/nowhere:${join(home, 'bin')}` })).toBe('agenthost');
});

test('a clone is called by npx, from its root and below, even if npm has added it to PATH for a script', () => {
  program('clone/node_modules/.bin');
  const path = join(home, 'clone/node_modules/.bin');
  const file = join(home, 'clone/packages/cli/bin/agenthost.js');
  for (const cwd of ['clone', 'clone/packages/cli'])
    expect(found({ path, cwd: join(home, cwd), file, npm: true })).toBe('npx agenthost');
  // The user has added it to PATH permanently.
  expect(found({ path, cwd: join(home, 'clone'), file })).toBe('agenthost');
});

test('a clone that was started from elsewhere is called by its folder', () => {
  program('clone/node_modules/.bin');
  const file = join(home, 'clone/packages/cli/bin/agenthost.js');
  expect(found({ cwd: '/', file })).toBe('npx --prefix ~/clone agenthost');
  program('my clone/node_modules/.bin');
  const spaced = join(home, 'my clone/packages/cli/bin/agenthost.js');
  expect(found({ cwd: '/', file: spaced })).toBe(`npx --prefix '${join(home, 'my clone')}' agenthost`);
});

test('a program in the npx cache is called by npx, and any other by its file', () => {
  const kept = program('.npm/_npx/1a2b/node_modules/.bin');
  expect(
    found({ path: join(kept, '..'), file: join(kept, '../../agenthost/bin/agenthost.js'), npm: true }),
  ).toBe('npx agenthost');
  expect(found({ cwd: '/', file: join(home, 'unpacked/bin/agenthost.js') })).toBe(
    `/opt/node ${join(home, 'unpacked/bin/agenthost.js')}`,
  );
});

test('a folder named agenthost on PATH is not the program', () => {
  mkdirSync(join(home, 'bin/agenthost'), { recursive: true });
  expect(found({ path: join(home, 'bin') })).not.toBe('agenthost');
});

test('a command line begins with that command', () => {
  expect(commandLine('agents')).toBe('agenthost agents');
  try {
    nameOwnCommand(() => 'npx agenthost');
    expect(commandLine('agents')).toBe('npx agenthost agents');
  } finally {
    nameOwnCommand(() => 'agenthost');
  }
});

test('a single file with Node in it is called by its path, also in a clone', () => {
  program('clone/node_modules/.bin');
  expect(found({ cwd: join(home, 'clone'), file: '/opt/node' })).toBe('/opt/node');
  program('bin');
  expect(found({ path: join(home, 'bin'), file: '/opt/node' })).toBe('agenthost');
});
