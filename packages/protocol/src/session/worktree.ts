import type { SessionState } from './state.ts';

/**
 * The git worktree that a session with the config value `isolation: worktree` works in, in `_meta.worktree` of the session.
 */
export interface SessionWorktree {
  /** Id for `x-mergeWorktree`, `x-openWorktree` and `x-removeWorktree`. */
  id: string;
  /** Root of the worktree, a `file:` URI. */
  uri: string;
  /** `missing`: the folder is gone, or git knows no worktree there. */
  state: 'ready' | 'missing';
  /** Absent: no branch is checked out. */
  branch?: string;
  /** What it was made from: a branch such as `main` or `origin/main`, or the id of a commit. */
  base: string;
  /** Id of the commit that it was made from. */
  baseCommit: string;
  /** What people should know about it: that the base could not be fetched, or that listed files were left out. */
  note?: string;
  /** Commits that the base lacks. */
  ahead?: number;
  /** Commits of the base that the worktree lacks. */
  behind?: number;
  /** Files that differ from the last commit. */
  uncommittedChanges?: number;
}

const TEXTS = ['branch', 'note'] as const;
const COUNTS = ['ahead', 'behind', 'uncommittedChanges'] as const;

/** The worktree of a session. `undefined`: it has none. Values of a wrong type are left out. */
export function sessionWorktree({ _meta }: Pick<SessionState, '_meta'>): SessionWorktree | undefined {
  const found = _meta?.['worktree'];
  if (typeof found !== 'object' || found === null) return undefined;
  const values = new Map<string, unknown>(Object.entries(found));
  const textOf = (key: string): string | undefined => {
    const value = values.get(key);
    return typeof value === 'string' ? value : undefined;
  };
  const id = textOf('id');
  const uri = textOf('uri');
  const base = textOf('base');
  const baseCommit = textOf('baseCommit');
  if (id === undefined || uri === undefined || base === undefined || baseCommit === undefined)
    return undefined;
  const state = values.get('state') === 'missing' ? 'missing' : 'ready';
  const worktree: SessionWorktree = { id, uri, state, base, baseCommit };
  for (const key of TEXTS) {
    const text = textOf(key);
    if (text !== undefined) worktree[key] = text;
  }
  for (const key of COUNTS) {
    const value = values.get(key);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) worktree[key] = value;
  }
  return worktree;
}
