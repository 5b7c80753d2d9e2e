// What `npm publish` would publish, installed into an empty folder by a user who has nothing of this repository.
import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { contentText } from '@agenthost/client';
import { errorOf } from '@agenthost/protocol';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { jsonLines, Machine, type RunningCli, type ServeLine } from '../../packages/cli/test/cli-process.ts';
import { Window } from '../../packages/cli/test/window.ts';
import { installPackages, type PackedPackage, packPackages } from '../../scripts/pack-packages.ts';
import { writeSingleFile } from '../../scripts/single-file/write-single-file.ts';
import { withoutChanges } from '../agree.ts';
import { endKeepers, keeperPids } from '../kill/processes.ts';
import { Witness } from '../kill/witness.ts';
import { root } from '../source-graph.ts';
import { packAgain } from './newer-packages.ts';

/** Installations and starts by npx take long on a busy machine. */
const PATIENCE_MS = 120_000;
vi.setConfig({ testTimeout: 600_000, hookTimeout: 900_000 });

const { version: packedVersion }: { version: string } = JSON.parse(
  readFileSync(join(root, 'packages/cli/package.json'), 'utf8'),
);
const SCOPE = ['client', 'conformance', 'host', 'agents', 'protocol', 'rpc', 'web'];

/** npx of the machine's npm. A user types `npx agenthost`. */
const npx = realpathSync(execFileSync('sh', ['-c', 'command -v npx'], { encoding: 'utf8' }).trim());
const program = [npx, '--no', 'agenthost'];

/** Node that refuses every module of the repository. */
const GUARD = `import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (url.startsWith(${JSON.stringify(new URL(`file://${root}/packages/`).href)})) throw new Error('loaded ' + url);
    return next(url, context);
  },
});`;

const machine = new Machine(
  { PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter), SHELL: '/bin/sh' },
  program,
);
const at = (name: string): string => join(machine.home, name);
const env = { NODE_OPTIONS: `--import=${at('guard.mjs')}`, NODE_COMPILE_CACHE: at('.compiled') };
const run = (...args: string[]): RunningCli['ended'] => machine.run(args, env);
/** Without npx, which takes longer to start than the program. */
const status = async () => {
  const args = [at('node_modules/.bin/agenthost'), 'status', '--json', '--no-update-check'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: machine.home,
    env: { ...machine.environment, ...env },
  });
  return jsonLines(stdout)[0];
};

let packed: PackedPackage[];
let line: ServeLine;
let window: Window | undefined;

/** Starts a host by npx, on the port of the earlier one. Resolves with what ends it. */
async function serve(): Promise<() => Promise<void>> {
  const port = line === undefined ? '0' : new URL(line.url).port;
  const npxOfHost = machine.start(['serve', '--json', '--port', port], env);
  await npxOfHost.until('}\n');
  const [announced] = machine.hosts();
  if (announced === undefined) throw new Error('no host is announced');
  line = announced;
  return async () => {
    process.kill(announced.pid, 'SIGTERM');
    await npxOfHost.ended;
  };
}
let stop: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  writeFileSync(at('guard.mjs'), GUARD);
  mkdirSync(at('.tarballs'));
  packed = packPackages(at('.tarballs'));
  const files = packed.map(({ file }) => file);
  const installed = await installPackages(machine.home, at('.npm-cache'), files);
  process.stdout.write(`installed from an empty cache: ${JSON.stringify(installed)}\n`);
  stop = await serve();
}, 900_000);
afterEach(async () => {
  await window?.dispose();
  window = undefined;
});
afterAll(async () => {
  // npx would wait for its host, which holds its output.
  for (const { pid } of machine.hosts()) process.kill(pid, 'SIGKILL');
  if (existsSync(machine.dataFolder)) await endKeepers(machine.dataFolder);
  await machine.dispose();
});

test('the installed packages are all of ours, with every file that they need, and name no path of the repository', () => {
  const [main, ...others] = ['agenthost', ...SCOPE.map((name) => `@agenthost/${name}`)];
  expect(packed.map(({ name }) => name).toSorted()).toEqual([main, ...others].toSorted());
  for (const { name } of packed) {
    const folder = at(`node_modules/${name}`);
    expect(existsSync(join(folder, 'README.md')), name).toBe(true);
    const naming = globSync('**/*.{js,json,map,d.ts,html}', { cwd: folder }).filter((file) =>
      readFileSync(join(folder, file), 'utf8').includes(`${root}/`),
    );
    expect(naming, name).toEqual([]);
  }
});

test('the page and all its files are served', async () => {
  const headers = { authorization: `Bearer ${line.token}` };
  const page = await fetch(line.url, { headers });
  const html = await page.text();
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(html).toContain('<div id="root">');
  const folder = at('node_modules/@agenthost/web/dist/page');
  const files = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((file) => file.isFile() && !/\.(?:br|gz|html)$/.test(file.name))
    .map((file) => join(file.parentPath, file.name).slice(folder.length));
  expect(files.length).toBeGreaterThan(50);
  expect([...html.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)).toEqual(
    expect.arrayContaining([expect.stringMatching(/\.js$/), expect.stringMatching(/\.css$/)]),
  );
  const statuses = await Promise.all(
    files.map(async (path) => [path, (await fetch(new URL(path, line.url), { headers })).status]),
  );
  expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
});

test('run answers, chat opens a window, and a terminal runs', async () => {
  expect(await run('term', 'run', '--', 'sh', '-c', 'echo typed; exit 3')).toMatchObject({
    code: 3,
    out: 'typed\n',
  });
  const ran = await run('run', 'say hello');
  expect(ran).toMatchObject({ code: 0, out: 'hello\n' });
  const id = /session (\w+)/.exec(ran.err)?.[1] ?? '';
  window = new Window(['chat', id], {
    cwd: machine.home,
    env: { ...machine.environment, ...env },
    program,
    patienceMs: PATIENCE_MS,
  });
  await window.until('hello');
  window.type('say written in a window\r');
  await window.until(/^\W*written in a window/m);
});

test("the README's program runs, and its types fit", async () => {
  const [, example = ''] = /```ts\n([^]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  writeFileSync(at('example.ts'), example.replace('127.0.0.1:4711', new URL(line.url).host));
  const { stdout } = await promisify(execFile)(process.execPath, ['example.ts'], {
    cwd: machine.home,
    env: { ...machine.environment, ...env, AGENTHOST_TOKEN: line.token },
  });
  expect(stdout.trim()).toBe('hi');
  const config = {
    compilerOptions: {
      ...{ module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: ['node'] },
      typeRoots: [join(root, 'node_modules/@types')],
    },
    include: ['example.ts'],
  };
  writeFileSync(
    at('package.json'),
    JSON.stringify({ ...JSON.parse(readFileSync(at('package.json'), 'utf8')), type: 'module' }),
  );
  writeFileSync(at('tsconfig.json'), JSON.stringify(config));
  const checked = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', machine.home]).catch(
    (error: { stdout: string }) => error,
  );
  expect(checked.stdout).toBe('');
});

test('[CONN-4] [CONN-8] an upgrade in place, under a terminal, a turn and a client: the client comes back by a replay and has lost nothing', async () => {
  const { wsUrl, token } = line;
  const witness = new Witness('witness', () => `${wsUrl}?token=${token}`);
  try {
    await witness.client.connect();
    const session = await witness.client.sessions.create({ provider: 'demo' });
    await witness.watch(session.uri);
    const gate = at('gate');
    const script = `echo before; while [ ! -e ${gate} ]; do sleep 0.1; done; echo between; read line; echo "got $line"; exit 5`;
    const terminal = await witness.client.createTerminal({ command: ['/bin/sh', '-c', script] });
    await expect
      .poll(() => contentText(terminal.state.content), { timeout: PATIENCE_MS })
      .toContain('before');
    const turn = session.chat.prompt('stream 1000000 every 20');
    await witness.until(() => witness.seen.some(({ action }) => action.type === 'chat/delta'));

    // The files of the running host are replaced.
    const newer = packAgain(packed, '0.2.0', at('.tarballs'));
    await installPackages(machine.home, at('.npm-cache'), newer);
    expect(await status()).toMatchObject({ version: packedVersion });
    const keepers = await keeperPids(machine.dataFolder);
    const offline = witness.offline();
    const before = witness.seen.length;
    await stop();
    await offline;
    writeFileSync(gate, '');
    stop = await serve();
    await witness.back();
    // More than one on a machine that is so busy that the client takes the host for gone.
    const [first, ...later] = witness.reconnects;
    expect([first, ...new Set(later)]).toEqual(['initialize', 'replay']);
    expect(await status()).toMatchObject({ version: '0.2.0', terminalCount: 1 });

    // The turn has ended, visibly, and nothing that was streamed is missing.
    expect(errorOf(await turn.result)).toMatchObject({ errorType: 'hostRestarted' });
    expect(witness.seen.length).toBeGreaterThan(before);
    const fresh = new Witness('fresh', () => `${line.wsUrl}?token=${line.token}`);
    await fresh.client.connect();
    await fresh.watch(session.uri);
    // The host may count the changes of the turn between the two. Only the channel of the session tells it to clients that are connected.
    const stateOf = ({ chat }: Witness) => chat && withoutChanges(chat.confirmed);
    await vi.waitFor(() => expect(stateOf(witness)).toEqual(stateOf(fresh)), { timeout: PATIENCE_MS });
    fresh.client.close();
    const text = JSON.stringify(witness.chat?.confirmed.turns);
    const numbers = [...text.matchAll(/\[(\d+)\] and on/g)].map(([, number]) => Number(number));
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers).toEqual(numbers.map((_, index) => index + (numbers[0] ?? 0)));

    await expect
      .poll(() => contentText(terminal.state.content), { timeout: PATIENCE_MS })
      .toContain('between');
    await terminal.input('after\r');
    expect(await terminal.exited).toBe(5);
    expect(contentText(terminal.state.content)).toContain('got after');
    expect(await keeperPids(machine.dataFolder)).toEqual(keepers);
  } finally {
    witness.client.close();
  }
  await stop();
});

test('Node and the packages in one file: host, page, terminals and a restart', async () => {
  const file = at('single/agenthost');
  mkdirSync(at('single/home'), { recursive: true });
  await writeSingleFile({
    file,
    packages: machine.home,
    node: process.execPath,
    isMac: process.platform === 'darwin',
  });
  const home = at('single/home');
  const alone = async (...args: string[]): Promise<{ code: number; out: string }> => {
    // Neither Node nor npm is on PATH.
    const options = { cwd: home, env: { HOME: home, PATH: '/usr/bin:/bin', SHELL: '/bin/sh' } };
    // With the umask of Debian's users.
    const words = ['-c', 'umask 002; exec "$0" "$@"', file, ...args];
    return promisify(execFile)('/bin/sh', words, options).then(
      ({ stdout }) => ({ code: 0, out: stdout }),
      (error: { code: number; stdout: string }) => ({ code: error.code, out: error.stdout }),
    );
  };
  const [started] = jsonLines((await alone('start', '--port', '0', '--json')).out);
  try {
    expect(await alone('run', 'say hello')).toEqual({ code: 0, out: 'hello\n' });
    const token = readFileSync(join(home, '.local/share/agenthost/owner-token'), 'utf8').trim();
    const page = await fetch(String(started?.['url']), { headers: { authorization: `Bearer ${token}` } });
    expect(await page.text()).toContain('<div id="root">');
    expect(await alone('term', 'run', '--', 'sh', '-c', 'echo typed; exit 3')).toEqual({
      code: 3,
      out: 'typed\n',
    });
    await alone('term', 'new', '--detach', '--', 'sleep', '600');
    const [restarted] = jsonLines((await alone('restart', '--json')).out);
    expect(restarted).toMatchObject({ isNew: true, url: started?.['url'] });
    expect(jsonLines((await alone('term', 'list', '--json')).out)).toHaveLength(1);
    expect((await alone('service', 'install', '--print')).out).toContain(`ExecStart=${file} serve `);
    // Others could replace what runs as this user.
    const programs = join(home, '.cache/agenthost/programs');
    const [unpacked = ''] = globSync('*-*', { cwd: programs });
    chmodSync(join(programs, unpacked), 0o777);
    expect((await alone('--version')).code).toBe(1);
    chmodSync(join(programs, unpacked), 0o755);
  } finally {
    await alone('stop');
    await endKeepers(join(home, '.local/share/agenthost'));
  }
});
