import type { SessionState } from './state.ts';

/** The git repository of a session's first working directory, in `_meta.git` of the session, as VS Code reads it. */
export interface SessionGit {
  /** Absent: no branch is checked out. */
  branchName?: string;
  /** The default branch, such as `main`. */
  baseBranchName?: string;
  /** Such as `origin/main`. Absent: the branch follows none. */
  upstreamBranchName?: string;
  /** Commits of the upstream branch that the branch lacks, since the last fetch. */
  incomingChanges?: number;
  /** Commits of the branch that the upstream branch lacks. */
  outgoingChanges?: number;
  /** Files that differ from the last commit. */
  uncommittedChanges?: number;
  /** Files with staged changes. */
  stagedChanges?: number;
  /** Entries of the stash. */
  stashes?: number;
  /** What git is in the middle of, such as `merge` or `rebase`. */
  operation?: string;
}

const TEXTS = ['branchName', 'baseBranchName', 'upstreamBranchName', 'operation'] as const;
const COUNTS = [
  'incomingChanges',
  'outgoingChanges',
  'uncommittedChanges',
  'stagedChanges',
  'stashes',
] as const;

/** The git repository of a session. `undefined`: none is known. Values of a wrong type are left out. */
export function sessionGit({ _meta }: Pick<SessionState, '_meta'>): SessionGit | undefined {
  const found = _meta?.['git'];
  if (typeof found !== 'object' || found === null) return undefined;
  const values = new Map<string, unknown>(Object.entries(found));
  const git: SessionGit = {};
  for (const key of TEXTS) {
    const value = values.get(key);
    if (typeof value === 'string') git[key] = value;
  }
  for (const key of COUNTS) {
    const value = values.get(key);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) git[key] = value;
  }
  return git;
}
