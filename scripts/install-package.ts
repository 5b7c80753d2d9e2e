// Installs one npm package into a folder of its own, which git ignores.
import { execFile } from 'node:child_process';
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withLockFile } from './lock-file.ts';

const run = promisify(execFile);
const ATTEMPT_COUNT = 3;

/** A program of npm that tests install on demand. */
export interface PackageToInstall {
  readonly packageName: string;
  /** Pinned; an update is a change of its own. */
  readonly version: string;
  /** Program in `node_modules/.bin`. */
  readonly bin: string;
}

/** Result of an installation. */
export interface Installation {
  /** Path of the program. Absent: the installation failed. */
  readonly command?: string;
  /** Reason of the failure. */
  readonly reason?: string;
  /** 0 when the package was installed already. */
  readonly tookMs: number;
}

/**
 * Installs a package into `folder` unless it is there in the pinned version. `timeoutMs` is the limit of one attempt of three. Waits for
 * another process that installs into this folder.
 */
export async function ensureInstalled(
  wanted: PackageToInstall,
  folder: string,
  timeoutMs: number,
): Promise<Installation> {
  const command = join(folder, 'node_modules', '.bin', wanted.bin);
  if (await isInstalled(wanted, folder, command)) return { command, tookMs: 0 };
  return withLockFile(`${folder}.lock`, () => installMissing(wanted, folder, command, timeoutMs));
}

async function installMissing(
  wanted: PackageToInstall,
  folder: string,
  command: string,
  timeoutMs: number,
): Promise<Installation> {
  if (await isInstalled(wanted, folder, command)) return { command, tookMs: 0 };
  const startedAt = performance.now();
  const took = (): number => Math.round(performance.now() - startedAt);
  let reason = '';
  for (let attempt = 1; attempt <= ATTEMPT_COUNT; attempt += 1) {
    try {
      await install(wanted, folder, command, timeoutMs);
      return { command, tookMs: took() };
    } catch (cause) {
      reason = cause instanceof Error ? cause.message : String(cause);
    }
  }
  return { reason: `${ATTEMPT_COUNT} attempts failed, the last with: ${reason}`, tookMs: took() };
}

async function isInstalled(wanted: PackageToInstall, folder: string, command: string): Promise<boolean> {
  try {
    await access(command);
    // Written last, so that an interrupted install does not count.
    return (await readFile(join(folder, 'installed'), 'utf8')) === wanted.version;
  } catch {
    return false;
  }
}

async function install(
  wanted: PackageToInstall,
  folder: string,
  command: string,
  timeoutMs: number,
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { [wanted.packageName]: wanted.version },
    // Some packages download or compile what they need in an install script.
    allowScripts: { [wanted.packageName]: true },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'], {
    cwd: folder,
    timeout: timeoutMs,
    maxBuffer: 256 * 1024 * 1024,
  });
  await access(command);
  await writeFile(join(folder, 'installed'), wanted.version);
}
