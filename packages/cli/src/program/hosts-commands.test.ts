import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { runCli } from './program.ts';

let folder: string;
let context: FakeContext;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-cli-'));
  context = new FakeContext();
  context.env = { XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder, PATH: folder };
  context.stdin.end();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  [['hosts', 'add', 'local', 'http://127.0.0.1:1'], 2, 'expected a name'],
  [['hosts', 'add', '-x', 'http://127.0.0.1:1'], 2, 'unknown option'],
  [['hosts', 'add', 'a b', 'http://127.0.0.1:1'], 2, 'expected a name'],
  [['hosts', 'add', 'a/b', 'http://127.0.0.1:1'], 2, 'expected a name'],
  [['hosts', 'add', 'x', 'ftp://a'], 2, 'expected an address'],
  [['hosts', 'add', 'x', 'https://me:pw@a.example'], 2, 'has a user or a password'],
  [['hosts', 'add', 'x', 'ssh://-oProxyCommand=x'], 2, 'expected an address such as ssh://user@server'],
  [['hosts', 'add', 'x', 'ssh://a b'], 2, 'expected an address such as ssh://user@server'],
  [['hosts', 'add', 'x', 'ssh://server/path'], 2, 'expected an address such as ssh://user@server'],
  [['hosts', 'add', 'x', 'ssh://me:pw@server'], 2, 'has no password'],
  [['hosts', 'add', 'x', 'ssh://server', '--fingerprint', 'AB'], 2, 'ssh checks the keys'],
  [['hosts', 'add', 'x', 'http://127.0.0.1:1', '--command', 'y'], 2, 'are for ssh:// addresses'],
  [['hosts', 'add', 'x', 'http://127.0.0.1:1', '--token-file', '/none/x'], 2, 'the file does not exist'],
  [['hosts', 'add', 'x', 'http://127.0.0.1:1', '--token-file', '-'], 2, 'expected one token'],
  [['hosts', 'add', 'x', 'http://127.0.0.1:1'], 4, 'nothing was added'],
  [['hosts', 'remove', 'nobody'], 1, 'no host is called nobody: no host was added'],
  [['sessions', '--host', 'nobody'], 2, 'no host is called nobody'],
  [['sessions', '--host', 'x', '--url', 'http://127.0.0.1:1'], 2, 'cannot be used together'],
  [['conformance', 'ssh://server'], 2, 'takes no ssh:// address'],
])('wrong usage is refused, and nothing is stored: %j', async (args, code, told) => {
  expect(await runCli(context, args)).toBe(code);
  expect(context.err).toContain(told);
  expect(existsSync(join(folder, 'agenthost/hosts.json'))).toBe(false);
});

test.each([
  ['exec /nonexistent/agenthost-program', 'agenthost was not found on build'],
  ['echo "me@build: Permission denied (publickey)." >&2; exit 255', 'load a key with `ssh-add`'],
  ['echo "Host key verification failed." >&2; exit 255', 'connect once with `ssh build`'],
  [
    'echo "ssh: connect to host build port 22: Connection refused" >&2; exit 255',
    'port 22: Connection refused',
  ],
  [`echo "agenthost: unknown command 'hosts'" >&2; exit 2`, 'is too old for ssh:// addresses'],
  ['echo "agenthost: 2 hosts are running; choose one" >&2; exit 2', 'build: 2 hosts are running'],
  ['echo "This account is closed."; exit 1', 'build: This account is closed.'],
  ['while :; do echo "{no greeting}"; done', 'sent an answer that is not from agenthost'],
  ['kill -9 $$', 'ssh ended with a signal'],
])('why ssh fails is told in a line with the next step: %s', async (script, told) => {
  writeFileSync(join(folder, 'ssh'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'ssh'), 0o755);
  expect(await runCli(context, ['sessions', '--url', 'ssh://build'])).toBe(4);
  expect(context.err).toContain(told);
  expect(
    context.err
      .replace(/^connecting to .*\n/, '')
      .trim()
      .split('\n'),
  ).toHaveLength(1);
});

test('without the program ssh, that is told; a person at a terminal gets no token from `hosts link`', async () => {
  expect(await runCli(context, ['sessions', '--url', 'ssh://build'])).toBe(4);
  expect(context.err).toBe('agenthost: the program ssh is required and not installed\n');
  context = new FakeContext({ isTerminal: true });
  expect(await runCli(context, ['hosts', 'link', '--start'])).toBe(2);
  expect(context.out).toBe('');
});
