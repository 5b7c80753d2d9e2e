import { execFile } from 'node:child_process';
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './test-report.ts';

const run = promisify(execFile);
/** An install that takes longer hangs; the binary comes in seconds. */
const timeoutMs = 120_000;

/** The oldest Node that the packages promise to run on: `engines.node` of the workspace, `>=22.15` being 22.15.0. */
export async function oldestNodeVersion(): Promise<string> {
  const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const [, major, minor, patch = '0'] = /^>=(\d+)\.(\d+)(?:\.(\d+))?$/.exec(engines.node) ?? [];
  if (major === undefined) throw new Error(`package.json: engines.node is ${engines.node}, expected >=X.Y`);
  return `${major}.${minor}.${patch}`;
}

/**
 * Installs that very Node into `.cache/oldest-node`, unless it is there, and resolves with its path. Rejects with the reason when it
 * cannot be had: no network, or no build of it for this platform.
 */
export async function installOldestNode(version: string): Promise<string> {
  const folder = join(root, '.cache/oldest-node');
  const isWindows = process.platform === 'win32';
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  const binary = join(folder, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node');
  if ((await versionOf(binary)) === `v${version}`) return binary;

  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  // A package of its own, so that npm does not take the repository for the place to install to.
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  await run('npm', ['install', '--prefix', folder, '--ignore-scripts', ...quiet, `${name}@${version}`], {
    timeout: timeoutMs,
    shell: isWindows,
  });
  const installed = await versionOf(binary);
  if (installed !== `v${version}`) throw new Error(`${name}@${version} says it is ${installed ?? 'nothing'}`);
  return binary;
}

async function versionOf(binary: string): Promise<string | undefined> {
  try {
    await access(binary);
  } catch {
    return undefined;
  }
  return (await run(binary, ['--version'])).stdout.trim();
}
