// Searches everything that a long run of the program writes, shows and passes on for the secrets of the run.
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AhpClient, connect } from '@agenthost/client';
import type { AuthenticateParams } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  Machine,
  type RunningCli,
  readServeLine,
  type ServeLine,
} from '../../packages/cli/test/cli-process.ts';

/** Secrets, each given to one place only. They are distinctive and have no character that an encoding would change. */
const SECRET = {
  ownerByEnv: 'SECRETownerByEnvironment0123456789',
  ownerByFile: 'SECRETownerByTokenFile0123456789',
  guess: 'SECRETguessInAnAddress0123456789',
  agentEnv: 'SECRETofTheAgentInTheConfig01234',
  hostEnv: 'SECRETvariableOfTheHostAlone0123',
  typed: 'SECRETpasswordTypedUnseen',
  resource: 'SECRETtokenForAResource012345678',
  malformed: 'SECRETtokenOfTheWrongShape012345',
} as const;

const machine = new Machine({ PRIVATE_TO_HOST: SECRET.hostEnv });
const gitSaw = join(machine.home, 'git-saw');
const data = join(machine.home, 'data');
const config = join(machine.home, 'agenthost.json');
const tokenFile = join(machine.home, 'token');
const agentSaw = join(machine.home, 'agent-saw');

/** All printed text and every returned error. */
const said: string[] = [];
const processes: string[] = [];
let issued = '';

/** An agent that records its environment, prints it as an error and fails. */
const AGENT = `
const { writeFileSync } = require('node:fs');
writeFileSync(${JSON.stringify(agentSaw)}, JSON.stringify(process.env));
process.stdin.once('data', () => { console.error('failing'); process.exit(3); });
`;

async function serve(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ host: RunningCli; line: ServeLine }> {
  const host = machine.start(
    ['serve', '--port', '0', '--json', '--verbose', '--data', data, '--config', config, ...args],
    env,
  );
  await host.until('}\n');
  return { host, line: readServeLine(host.out) };
}

/** A file of `/proc`, or an empty string when its process has ended. */
function readProcess(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^(?:ENOENT|ESRCH)$/.test(String(error.code))) return '';
    throw error;
  }
}

/**
 * Records the command lines of everything that `host` and earlier hosts started, keepers included, and the environments of their children.
 */
function lookAtProcesses(host: number): void {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const parents = new Map(
    all.map((pid) => [pid, Number(/\) \S (\d+)/.exec(readProcess(pid, 'stat'))?.[1] ?? 0)]),
  );
  const isOurs = (pid: number): boolean =>
    pid === host || readProcess(pid, 'cmdline').includes(data) || (pid > 1 && isOurs(parents.get(pid) ?? 0));
  for (const pid of all.filter(isOurs)) {
    processes.push(`cmdline ${readProcess(pid, 'cmdline')}`);
    if (pid !== host)
      processes.push(`environ of ${readProcess(pid, 'cmdline')}: ${readProcess(pid, 'environ')}`);
  }
}

async function typeUnseen(client: AhpClient): Promise<void> {
  const script = 'read -rs -p "Password: " word; echo; echo "got ${#word} letters"; sleep 60';
  const terminal = await client.createTerminal({ command: ['bash', '-c', script] });
  const shows = async (text: string): Promise<void> => {
    for await (const state of terminal.mirror) if (JSON.stringify(state.content).includes(text)) return;
  };
  await shows('Password: ');
  for (const data of [...SECRET.typed, '\r']) await terminal.input(data);
  await shows(`got ${SECRET.typed.length} letters`);
}

async function errorOf(promise: Promise<unknown>): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(Error);
  if (error instanceof Error)
    said.push(JSON.stringify({ ...error, message: error.message, stack: error.stack }));
}

beforeAll(async () => {
  mkdirSync(data);
  writeFileSync(join(machine.home, 'agent.cjs'), AGENT);
  const failing = {
    command: process.execPath,
    args: [join(machine.home, 'agent.cjs')],
    env: { AGENT_KEY: SECRET.agentEnv },
  };
  writeFileSync(config, JSON.stringify({ agents: { failing } }), { mode: 0o600 });
  writeFileSync(tokenFile, SECRET.ownerByFile, { mode: 0o600 });

  // A stand-in for git that records its environment.
  mkdirSync(join(machine.home, 'bin'));
  writeFileSync(join(machine.home, 'bin/git'), `#!/bin/sh\nenv > '${gitSaw}'\nexit 1\n`, { mode: 0o755 });

  const byEnv = { AGENTHOST_TOKEN: SECRET.ownerByEnv, PATH: `${join(machine.home, 'bin')}:/usr/bin:/bin` };
  const first = await serve(byEnv);
  const url = first.line.url;
  const run = async (...args: string[]): Promise<void> => {
    const { out, err } = await machine.run([...args, '--verbose'], byEnv);
    said.push(out, err);
  };
  await run('run', '--url', url, 'say hello');
  await run('run', '--url', url, '--agent', 'failing', '--cwd', machine.home, 'fail');
  // A user puts a wrong token into the URL. The command may print that URL; the rest of its output must not contain the token.
  const guessing = await machine.run(['sessions', '--url', `${url}/?token=${SECRET.guess}`, '--verbose'], {
    AGENTHOST_TOKEN: '',
  });
  said.push(guessing.out, guessing.err);
  expect(guessing.code).toBe(4);
  await fetch(`${url}/?token=${SECRET.guess}`).then(async (response) => said.push(await response.text()));
  const created = await machine.run(
    ['token', 'create', '--url', url, '--scope', 'interact', '--json'],
    byEnv,
  );
  issued = /ah[a-z]?_[\w-]{20,}|"(?:secret|token)":"([^"]+)"/.exec(created.out)?.[1] ?? '';

  const client = await connect(url, { token: SECRET.ownerByEnv });
  await typeUnseen(client);
  const workingDirectory = pathToFileURL(machine.home).href;
  const session = await client.sessions.create({ provider: 'demo', workingDirectories: [workingDirectory] });
  await session.chat.complete('@agent', 6);
  const resource = 'https://nobody.example';
  await errorOf(client.request('authenticate', { channel: 'ahp-root://', resource, token: SECRET.resource }));
  // Invalid requests of clients.
  const wrong: object[] = [
    { resource: 7, token: SECRET.malformed },
    { resource, token: [SECRET.malformed] },
  ];
  for (const params of wrong) {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the test sends invalid values
    const sent = { channel: 'ahp-root://', ...params } as AuthenticateParams;
    await errorOf(client.request('authenticate', sent));
  }
  lookAtProcesses(first.host.pid);
  client.close();
  first.host.kill('SIGKILL');
  await first.host.ended;
  said.push(first.host.out, first.host.err);

  const second = await serve({}, '--token-file', tokenFile);
  const { out, err } = await machine.run(['sessions', '--verbose']);
  said.push(out, err);
  lookAtProcesses(second.host.pid);
  const again = await connect(second.line.url, { token: SECRET.ownerByFile });
  for (const { resource: uri } of (await again.terminals()).items)
    await again.request('disposeTerminal', { channel: uri });
  again.close();
  second.host.kill('SIGTERM');
  await second.host.ended;
  said.push(second.host.out, second.host.err);
});

afterAll(() => machine.dispose());

/** Every file of the home that contains the text in UTF-8, UTF-16 or base64. */
function filesWith(text: string): string[] {
  const needles = [
    Buffer.from(text),
    Buffer.from(text, 'utf16le'),
    Buffer.from(Buffer.from(text).toString('base64').slice(0, -4)),
  ];
  return globSync('**/*', { cwd: machine.home, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file);
      return needles.some((needle) => bytes.includes(needle));
    })
    .map((file) => file.slice(machine.home.length + 1))
    .toSorted();
}

describe('secrets', () => {
  test('every file and output that could hold one exists', () => {
    expect(existsSync(join(data, 'journal.db'))).toBe(true);
    expect(statSync(join(data, 'agenthost.log')).mode & 0o777).toBe(0o600);
    expect(processes.some((text) => text.startsWith('environ') && text.includes('keeper'))).toBe(true);
    expect(filesWith('hello')).toContain('data/journal.db');
    expect(issued.length).toBeGreaterThan(20);
    expect(readFileSync(gitSaw, 'utf8')).toContain('PRIVATE_TO_HOST');
  });

  test.each(Object.entries(SECRET))(
    '%s is in no output, in no command line, and in no environment of another program',
    (name, secret) => {
      expect(said.join('\n')).not.toContain(secret);
      const mayHave =
        name === 'agentEnv' ? /^environ of .*AGENT_KEY=/s : name === 'hostEnv' ? /^environ of /s : undefined;
      const found = processes.filter((text) => text.includes(secret) && mayHave?.test(text) !== true);
      expect(found).toEqual([]);
    },
  );

  test.each([
    ['ownerByEnv', []],
    ['ownerByFile', ['token']],
    ['guess', []],
    ['agentEnv', ['agent-saw', 'agenthost.json']],
    // A program of the machine that the host runs as its own user.
    ['hostEnv', ['git-saw']],
    ['typed', []],
    ['resource', []],
    ['malformed', []],
  ] as const)('%s is only in the files that are meant to hold it', (name, expected) => {
    expect(filesWith(SECRET[name])).toEqual(expected);
  });

  test('of an issued token only the hash is stored', () => {
    expect(filesWith(issued)).toEqual([]);
    expect(processes.join('\n')).not.toContain(issued);
    expect(said.join('\n')).not.toContain(issued);
  });

  test('an agent gets the environment of its config, and no secret of the host', () => {
    const environment: Record<string, string> = JSON.parse(readFileSync(agentSaw, 'utf8'));
    expect(environment['AGENT_KEY']).toBe(SECRET.agentEnv);
    expect(environment).not.toHaveProperty('AGENTHOST_TOKEN');
    expect(environment).not.toHaveProperty('PRIVATE_TO_HOST');
  });
});
