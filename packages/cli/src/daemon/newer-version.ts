import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Context } from '../process/context.ts';
import { configFolder, updateCheckFile } from '../process/files.ts';
import { makeFolder } from '../process/make-folder.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Longest time that a command waits for npm. */
const LIMIT_MS = 2_000;

/** A version without a label such as `-beta`. */
const RELEASE = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

/** The last answer of the registry. */
interface LastCheck {
  /** ms since the epoch. */
  readonly checkedAt: number;
  /** Absent: the registry did not answer. */
  readonly latest?: string;
}

/** Whether the user has switched the check off: by a variable, or by `"updateCheck": false` in the config file. */
export async function isCheckOff(context: Context): Promise<boolean> {
  const { env } = context;
  if ([env['NO_UPDATE_NOTIFIER'], env['CI']].some((value) => value !== undefined && value !== ''))
    return true;
  const config = await readObject(join(configFolder(context), 'agenthost.json'));
  return config?.['updateCheck'] === false;
}

/**
 * The newest released version, if it is newer than this program; otherwise `undefined`, also when npm does not report one. Runs npm, which queries
 * the registry of the user, at most once a day and for at most 2 s, also if npm fails. Never rejects.
 */
export async function newerVersion(
  context: Context,
  { now = Date.now(), limitMs = LIMIT_MS } = {},
): Promise<string | undefined> {
  const file = updateCheckFile(context);
  const last = await readLast(file);
  const age = last === undefined ? Number.POSITIVE_INFINITY : now - last.checkedAt;
  // A time in the future was written while the clock was wrong.
  if (last !== undefined && age >= 0 && age < DAY_MS) return newer(last.latest, context.version);
  const latest = await askNpm(context, limitMs);
  await writeLast(file, { checkedAt: now, ...(latest === undefined ? {} : { latest }) });
  return newer(latest, context.version);
}

/** `latest` if it is a later release than `present`. */
export function newer(latest: string | undefined, present: string): string | undefined {
  const [a, b] = [RELEASE.exec(latest ?? ''), RELEASE.exec(present.replace(/-.*/, ''))];
  if (a === null || b === null) return undefined;
  for (const index of [1, 2, 3]) {
    const difference = Number(a[index]) - Number(b[index]);
    if (difference !== 0) return difference > 0 ? latest : undefined;
  }
  // A release follows its own pre-releases.
  return present.includes('-') ? latest : undefined;
}

/** The version that npm would install. npm knows the registry of the user, its proxy and its sign-in. */
function askNpm({ env, home }: Context, timeout: number): Promise<string | undefined> {
  const args = ['view', 'agenthost', 'version', '--no-update-notifier', '--fetch-retries=0'];
  return new Promise((resolve) => {
    const options = { cwd: home, env, timeout, killSignal: 'SIGKILL', maxBuffer: 10_000 } as const;
    // Without npm, without a network and for an unknown package there is nothing to report.
    execFile('npm', args, options, (error, stdout) => {
      const text = stdout.trim();
      resolve(error === null && RELEASE.test(text) ? text : undefined);
    }).stdin?.end();
  });
}

async function readLast(file: string): Promise<LastCheck | undefined> {
  // The file is missing, or its writer was killed: the next check replaces it.
  const value = await readObject(file);
  return value !== undefined && isLastCheck(value) ? value : undefined;
}

/** A JSON object in a file; `undefined` if there is none. `serve` reports mistakes in its config file. */
async function readObject(file: string): Promise<Record<string, unknown> | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const isLastCheck = (value: object): value is LastCheck =>
  'checkedAt' in value &&
  typeof value.checkedAt === 'number' &&
  (!('latest' in value) || typeof value.latest === 'string');

async function writeLast(file: string, check: LastCheck): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await makeFolder(dirname(file), 0o700);
    await writeFile(draft, JSON.stringify(check), { mode: 0o600 });
    await rename(draft, file);
  } catch {
    // The next command runs npm again.
    await rm(draft, { force: true }).catch(() => undefined);
  }
}
