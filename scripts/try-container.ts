// `node scripts/try-container.ts [--debian]`: builds the image by buildah, which needs no service, and runs a host in it. `--debian`: on a base of Debian's
// packages, this Node and this npm, for machines that reach no registry of images; needs mmdebstrap.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'agenthost-container-'));
/** Containers share the network of this machine. */
const PORT = '47110';
const BASE = 'localhost/agenthost-base';
const IMAGE = 'localhost/agenthost-tried';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const START_LIMIT_MS = 120_000;

const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
const env = { ...process.env, BUILDAH_ISOLATION: 'chroot' };
const buildah = (...args: string[]): string =>
  execFileSync('buildah', [...store, ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

/** Makes the base image. The machine's certificates let npm work behind a proxy that has its own. */
function makeBase(): void {
  const system = join(folder, 'system');
  execFileSync('mmdebstrap', ['--variant=minbase', 'bookworm', system], { stdio: 'inherit' });
  const [bin, modules] = [join(system, 'usr/local/bin'), join(system, 'usr/local/lib/node_modules')];
  mkdirSync(modules, { recursive: true });
  mkdirSync(join(system, 'usr/local/etc'), { recursive: true });
  mkdirSync(join(system, dirname(CERTIFICATES)), { recursive: true });
  cpSync(process.execPath, join(bin, 'node'));
  const npm = realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
  cpSync(join(dirname(npm), '..'), join(modules, 'npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name));
  cpSync(CERTIFICATES, join(system, CERTIFICATES), { dereference: true });
  writeFileSync(join(system, 'usr/local/etc/npmrc'), `cafile = "${CERTIFICATES}"\n`);
  const container = buildah('from', 'scratch');
  buildah('add', '--quiet', container, system, '/');
  buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, container);
  buildah('commit', '--quiet', container, BASE);
  buildah('rm', container);
  rmSync(system, { recursive: true });
}

/** Prints a step and what came out, and fails if that is not as expected. */
function step(what: string, output: string, expected: RegExp): void {
  const isRight = expected.test(output);
  console.log(`${isRight ? '✓' : '✗'} ${what}: ${output.replaceAll('\n', ' | ')}`);
  if (!isRight) process.exitCode = 1;
}

async function tryHost(container: string): Promise<void> {
  const inside = (...command: string[]): string =>
    buildah('run', '--env', `AGENTHOST_PORT=${PORT}`, container, '--', ...command);
  const args = ['run', '--env', `AGENTHOST_PORT=${PORT}`, container, '--'];
  const command = [
    'tini',
    '--',
    'agenthost',
    'serve',
    '--insecure-listen',
    '--root',
    '/work',
    '--drain',
    '60',
  ];
  const host: ChildProcess = spawn('buildah', [...store, ...args, ...command], { env, stdio: 'inherit' });
  const ended = new Promise((resolve) => host.once('exit', resolve));
  try {
    const limit = Date.now() + START_LIMIT_MS;
    const isReady = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${PORT}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (host.exitCode === null && Date.now() < limit && !(await isReady())) await wait(200);
    step('health', String(await isReady()), /^true$/);
    step('user', inside('id', '-u'), /^10001$/);
    step('run', inside('agenthost', 'run', 'say hello'), /^hello$/);
    step('terminal', inside('agenthost', 'term', 'run', '--', 'git', '--version'), /^git version/);
    step('stop', inside('agenthost', 'stop', '--json'), /./);
  } finally {
    host.kill('SIGTERM');
    await ended;
  }
}

try {
  const isDebian = process.argv.includes('--debian');
  if (isDebian) makeBase();
  const base = isDebian ? ['--build-arg', `NODE_IMAGE=${BASE}`] : [];
  execFileSync(
    'buildah',
    [...store, 'bud', '--format', 'docker', '--network', 'host', ...base, '--tag', IMAGE, root],
    { env, stdio: 'inherit' },
  );
  console.log(buildah('images', IMAGE));
  await tryHost(buildah('from', IMAGE));
} finally {
  try {
    buildah('rm', '--all');
    buildah('rmi', '--all', '--force');
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
