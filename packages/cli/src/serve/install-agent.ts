import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { ACP_CATALOGUE, KNOWN_PACKAGES, lookAtPackage } from '@agenthost/agents';
import { processStartTime } from '@agenthost/host/agent';
import { errorCode, hasCode } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { LockHeld, lockFile } from '../process/lock-file.ts';
import { makeFolder } from '../process/make-folder.ts';
import { oneLine } from '../render/plain-text.ts';
import type { ServeConfig } from './config.ts';
import { ownFolder } from './own-agents.ts';

/** What to install: an npm package at a version. */
export interface InstallPlan {
  readonly id: string;
  readonly packageName: string;
  /** Version, tag, or another place that npm knows, such as `file:/home/me/agent.tgz`. */
  readonly version: string;
  /** Command that the package must bring. Absent: it must be a package that a host can import. */
  readonly command?: string;
}

/** An installed package. */
export interface Installed extends InstallPlan {
  /** The version that npm installed. */
  readonly version: string;
  /** Absolute path of the command or of the module that a host imports. */
  readonly path: string;
  /** It was installed before, and nothing was done. */
  readonly isUnchanged: boolean;
}

/** How npm is run and people are told. */
export interface InstallParts {
  readonly context: Pick<Context, 'env' | 'stderr'>;
  readonly dataDir: string;
  /** Tells people what happens, in one line. */
  tell(line: string): void;
}

/**
 * What `agents install <id>[@<version>]` installs: a known agent at the version that this program was tested with, or the package of an
 * entry of the config file. Throws a usage error for other names.
 */
export function planInstall(wanted: string, config: ServeConfig): InstallPlan {
  const at = wanted.indexOf('@');
  const [id, version] = at < 0 ? [wanted, undefined] : [wanted.slice(0, at), wanted.slice(at + 1)];
  if (version === '') throw usageError(`${oneLine(wanted)}: expected a version after the @`);
  const entry = config.packages?.find((each) => each.id === id);
  if (entry !== undefined) {
    if (isAbsolute(entry.package))
      throw usageError(`${id} is the folder ${oneLine(entry.package)}: it needs no installation`);
    return { id, packageName: entry.package, version: version ?? 'latest' };
  }
  const known = KNOWN_PACKAGES[id];
  const agent = ACP_CATALOGUE.find((each) => each.id === id);
  if (known !== undefined && agent !== undefined)
    return { id, packageName: known.name, version: version ?? known.version, command: agent.command };
  const packages = (config.packages ?? []).filter((each) => !isAbsolute(each.package));
  const names = [...Object.keys(KNOWN_PACKAGES), ...packages.map((each) => each.id)];
  throw usageError(`${oneLine(id) || 'nothing'} cannot be installed; expected one of ${names.join(', ')}`);
}

/**
 * Installs a package into the host's own folder. The version that was there stays in use until the new one is complete, and stays on disk for
 * processes that run it. Rejects with `CliError` when another installation of the agent runs, when there is no npm, and when npm fails.
 */
export async function installAgent(plan: InstallPlan, parts: InstallParts): Promise<Installed> {
  const folder = ownFolder(parts.dataDir, plan.id);
  await makeFolder(folder, 0o700);
  const lock = await lockFile(join(folder, 'lock'), {
    pid: process.pid,
    startOf: processStartTime,
  }).catch((cause: unknown) => {
    if (!(cause instanceof LockHeld)) throw cause;
    throw new CliError(
      EXIT.error,
      `${plan.id} is being installed by the process ${cause.pid}: wait for its end`,
      {
        cause,
      },
    );
  });
  try {
    if (lock.stalePid !== undefined)
      parts.tell(`an installation by the process ${lock.stalePid} did not finish; its lock was removed`);
    const present = lookAt(plan, join(folder, 'current'));
    if (present?.version === plan.version) return { ...plan, ...present, isUnchanged: true };
    return { ...(await installAnew(plan, folder, parts)), isUnchanged: false };
  } finally {
    await lock.release();
  }
}

async function installAnew(
  plan: InstallPlan,
  folder: string,
  { context, tell }: InstallParts,
): Promise<Omit<Installed, 'isUnchanged'>> {
  const before = await targetOf(join(folder, 'current'));
  // An installation that was killed leaves its folder behind.
  await removeOthers(folder, before === undefined ? [] : [before]);
  const place = await mkdtemp(join(folder, 'version-'));
  const name = place.slice(folder.length + 1);
  try {
    await writeFile(join(place, 'package.json'), '{"private":true}\n');
    tell(`installing ${plan.packageName}@${plan.version} into ${place}`);
    await runNpm(context, place, `${plan.packageName}@${plan.version}`);
    const found = lookAt(plan, place);
    if (found === undefined) {
      const what = plan.command === undefined ? 'a module to import' : `the command ${plan.command}`;
      throw new CliError(EXIT.error, `${plan.packageName}@${plan.version} was installed, but lacks ${what}`);
    }
    // A rename replaces the link in one step: a host never sees an agent that is half there.
    const link = join(folder, `next-${name}`);
    await symlink(name, link);
    await rename(link, join(folder, 'current'));
    await removeOthers(folder, before === undefined ? [name] : [name, before]);
    const { path, ...version } = found;
    return { ...plan, ...version, path: path.replace(place, join(folder, 'current')) };
  } catch (cause) {
    await rm(place, { recursive: true, force: true });
    throw cause;
  }
}

/** Version and path of what a folder has of a plan. `undefined`: nothing that works. */
function lookAt(plan: InstallPlan, folder: string): { version: string; path: string } | undefined {
  const found = lookAtPackage({ id: plan.id, package: plan.packageName }, { folders: [folder] });
  const { version = plan.version } = found;
  const command = plan.command && join(folder, 'node_modules', '.bin', plan.command);
  if (command !== undefined) {
    const manifest = join(folder, 'node_modules', plan.packageName, 'package.json');
    return existsSync(command) && existsSync(manifest) ? { version, path: command } : undefined;
  }
  return found.available && found.source !== undefined ? { version, path: found.source } : undefined;
}

async function targetOf(link: string): Promise<string | undefined> {
  try {
    return await readlink(link);
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return undefined;
    throw cause;
  }
}

/** Removes all versions but these. Two are kept: processes may still run the one before. */
async function removeOthers(folder: string, kept: readonly string[]): Promise<void> {
  const names = (await readdir(folder)).filter(
    (name) => /^(?:next-)?version-/.test(name) && !kept.includes(name),
  );
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
}

/** Runs `npm install` in a folder. Its output goes to stderr. */
async function runNpm({ env, stderr }: InstallParts['context'], folder: string, spec: string): Promise<void> {
  const args = ['install', '--save-exact', '--no-audit', '--no-fund', '--no-update-notifier', '--', spec];
  // Scripts of packages must not get the token of the host.
  const clean = Object.entries(env).filter(([name]) => !name.startsWith('AGENTHOST_'));
  const child = spawn('npm', args, {
    cwd: folder,
    env: Object.fromEntries(clean),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let last = '';
  const show = (chunk: Buffer): void => {
    last = (last + chunk.toString()).slice(-4_000);
    stderr.write(chunk);
  };
  child.stdout.on('data', show);
  child.stderr.on('data', show);
  const end = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.on('error', (cause) => {
      const isMissing = errorCode(cause) === 'ENOENT';
      const why = isMissing
        ? 'no command npm on the PATH: install Node.js with npm'
        : 'npm cannot be started';
      reject(new CliError(EXIT.error, why, { cause }));
    });
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
  if (end === 0) return;
  const reason = /npm error (?!code)(.*)/.exec(last)?.[1] ?? `npm ended with ${end}`;
  throw new CliError(EXIT.error, `${spec} could not be installed: ${oneLine(reason)}`);
}
