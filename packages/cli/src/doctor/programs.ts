import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorText } from '@agenthost/protocol/values';
import { type Finding, ok, warning } from './finding.ts';

const run = promisify(execFile);

const TIMEOUT_MS = 10_000;

/** The oldest Node that runs agenthost. */
const OLDEST_NODE = 24;

/** Programs that the host uses where they exist. */
const PROGRAMS = [
  {
    name: 'git',
    args: ['--version'],
    without: 'changed files, worktrees and undo do not work without it',
    platforms: undefined,
  },
  {
    name: 'rg',
    args: ['--version'],
    without: 'model agents search files more slowly, and as plain text',
    platforms: undefined,
  },
  {
    name: 'bwrap',
    args: ['--ro-bind', '/', '/', '--dev', '/dev', '--unshare-pid', 'true'],
    without: 'model agents run commands without a sandbox',
    platforms: ['linux'],
  },
] as const;

const PACKAGES: Readonly<Record<string, string>> = { git: 'git', rg: 'ripgrep', bwrap: 'bubblewrap' };

/** Checks Node and the programs that the host uses. */
export async function checkPrograms(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  const wanted = PROGRAMS.filter(
    ({ platforms }) => platforms === undefined || platforms.some((each) => each === platform),
  );
  const found = await Promise.all(
    wanted.map(async ({ name, args, without }): Promise<Finding> => {
      try {
        const { stdout } = await run(name, [...args], { env: { ...env }, timeout: TIMEOUT_MS });
        return ok(name, stdout.split('\n')[0]?.trim() || 'works');
      } catch (cause) {
        const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
        if (isMissing)
          return warning(name, `not installed: ${without}`, `install the package ${PACKAGES[name]}`);
        const why = errorText(cause).trim().split('\n').at(-1) ?? '';
        return warning(name, `does not work (${why}): ${without}`, `try \`${name} ${args.join(' ')}\``);
      }
    }),
  );
  const isOld = Number.parseInt(process.versions.node, 10) < OLDEST_NODE;
  const node = `${process.version} at ${process.execPath}`;
  return [isOld ? warning('node', node, `install Node ${OLDEST_NODE} or newer`) : ok('node', node), ...found];
}
