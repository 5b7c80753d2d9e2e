import { type Git, splitNul } from './git.ts';
import { environmentOf, type Repository } from './repository.ts';

/** A path that differs from `HEAD` or from the index. */
export interface StatusEntry {
  /** Relative to the root, with `/`. */
  readonly path: string;
  /** The bytes of the path on disk, which may be no UTF-8. */
  readonly bytes: Buffer;
  /** Whether the index differs from `HEAD`. */
  readonly isStaged: boolean;
  /** Whether the working tree differs from the index. */
  readonly isUnstaged: boolean;
  /** Whether a merge has left several versions in the index. */
  readonly isConflict: boolean;
  readonly isSubmodule: boolean;
}

/** The facts of `git status` on a working tree. */
export interface RepositoryStatus {
  /** Id of the last commit. Absent: there is none. */
  readonly commit?: string;
  /** Absent: no branch is checked out. */
  readonly branch?: string;
  /** Such as `origin/main`. Absent: the branch follows none. */
  readonly upstream?: string;
  /** Commits that the upstream branch lacks, and commits that the branch lacks. Absent: there is no upstream branch. */
  readonly ahead?: number;
  readonly behind?: number;
  /** Absent: none, or git is older than 2.35. */
  readonly stashCount?: number;
  readonly entries: readonly StatusEntry[];
}

/**
 * The status of a working tree by the rules of the user's git: a file whose line ends git converts has not changed. Programs that convert
 * files (filters) do not run. `scopes`: only paths in these folders, relative to the root; '' for all. Writes nothing.
 */
export async function statusOf(
  git: Git,
  repository: Repository,
  scopes: readonly string[],
  names?: ConfiguredNames,
): Promise<RepositoryStatus> {
  const configured = names ?? (await configuredNames(git, repository));
  const env = { ...environmentOf(repository), ...withoutFilters(configured) };
  const args = [
    'status',
    '--porcelain=v2',
    '-z',
    '--branch',
    '--show-stash',
    '--untracked-files=all',
    '--ignore-submodules=dirty',
    '--no-renames',
  ];
  const paths = scopes.map((scope) => (scope === '' ? '.' : scope));
  const { stdout } = await git.run([...args, '--', ...paths], {
    cwd: repository.root,
    env,
    hasUserConfig: true,
  });
  return parseStatus(splitNul(stdout));
}

/** Reads the lines of `status --porcelain=v2 -z`, without renames. */
function parseStatus(lines: readonly Buffer[]): RepositoryStatus {
  const entries = new Map<string, StatusEntry>();
  const status: { -readonly [K in keyof Omit<RepositoryStatus, 'entries'>]: RepositoryStatus[K] } = {};
  for (const line of lines) {
    const text = line.toString('utf8');
    if (text.startsWith('# ')) readHeader(status, text.slice(2));
    else {
      const entry = entryOf(line, text);
      // A file that was removed from the index only has two lines.
      const other = entries.get(entry.path);
      entries.set(entry.path, other === undefined ? entry : { ...other, isUnstaged: true });
    }
  }
  return { ...status, entries: [...entries.values()] };
}

function readHeader(
  status: { -readonly [K in keyof Omit<RepositoryStatus, 'entries'>]: RepositoryStatus[K] },
  header: string,
): void {
  const at = header.indexOf(' ');
  const value = header.slice(at + 1);
  switch (header.slice(0, at)) {
    case 'branch.oid':
      if (value !== '(initial)') status.commit = value;
      return;
    case 'branch.head':
      if (value !== '(detached)') status.branch = value;
      return;
    case 'branch.upstream':
      status.upstream = value;
      return;
    case 'branch.ab': {
      const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(value) ?? [];
      status.ahead = Number(ahead);
      status.behind = Number(behind);
      return;
    }
    case 'stash':
      status.stashCount = Number(value);
      return;
    default:
    // A header of a newer git.
  }
}

/** Numbers of fields before the path, by the kind of a line. */
const FIELDS: Readonly<Record<string, number>> = { '?': 1, '1': 8, u: 10 };

function entryOf(line: Buffer, text: string): StatusEntry {
  const [kind = '', xy = '', submodule = ''] = text.split(' ', 3);
  let start = 0;
  for (let field = FIELDS[kind] ?? 1; field > 0; field -= 1) start = line.indexOf(' ', start) + 1;
  const bytes = line.subarray(start);
  return {
    path: bytes.toString('utf8'),
    bytes,
    isStaged: kind === '1' && !xy.startsWith('.'),
    isUnstaged: kind !== '1' || !xy.endsWith('.'),
    isConflict: kind === 'u',
    isSubmodule: kind !== '?' && submodule.startsWith('S'),
  };
}

/** Names in the configuration of a repository and of the user that a status depends on. */
export interface ConfiguredNames {
  /** Such as `filter.lfs`. */
  readonly filters: ReadonlySet<string>;
  readonly remotes: ReadonlySet<string>;
}

/** Reads the names of filters, and of remotes that have a URL. */
export async function configuredNames(git: Git, repository: Repository): Promise<ConfiguredNames> {
  const { stdout } = await git.run(
    ['config', '--name-only', '-z', '--get-regexp', String.raw`^(filter\..*|remote\..*\.(push)?url)$`],
    { env: environmentOf(repository), okCodes: [0, 1], hasUserConfig: true },
  );
  const sections = splitNul(stdout).map((key) => {
    const name = key.toString('utf8');
    return name.slice(0, name.lastIndexOf('.'));
  });
  return {
    filters: new Set(sections.filter((name) => name.startsWith('filter.'))),
    remotes: new Set(
      sections.flatMap((name) => (name.startsWith('remote.') ? [name.slice('remote.'.length)] : [])),
    ),
  };
}

/** Variables that switch off filters. */
export function withoutFilters({ filters }: ConfiguredNames): Record<string, string> {
  const settings = [...filters].flatMap((driver) => [
    [`${driver}.clean`, ''],
    [`${driver}.smudge`, ''],
    [`${driver}.process`, ''],
    [`${driver}.required`, 'false'],
  ]);
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [index, [key = '', value = '']] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return env;
}
