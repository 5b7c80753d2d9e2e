import type { BaseParams, ConnectionParams, URI } from '../wire/basics.ts';

/** `x-listWorktrees` (extension): lists the git worktrees that the host has made, oldest first. */
export interface ListWorktreesParams extends ConnectionParams {}

/** The worktrees of present and past sessions. */
export interface ListWorktreesResult {
  items: WorktreeInfo[];
}

/**
 * `x-createWorktree` (extension): makes a further worktree of the repository of a session's first working directory, for one of its chats. The
 * new folder is added to the working directories of the session. `-32602` outside of git, for an unknown base, and for an agent that works in
 * one directory only.
 */
export interface CreateWorktreeParams extends BaseParams {
  /** A chat of the session, which then works in it alone. Absent: none; `createChat` can name the new folder. */
  chat?: URI;
  /** A branch, or another name of a commit. Default: the branch that is checked out in the session's first working directory. */
  base?: string;
}

/** The new worktree. */
export interface CreateWorktreeResult {
  worktree: WorktreeInfo;
  /** The new working directory: the folder of the session in the worktree, a `file:` URI. */
  directory: URI;
}

/**
 * `x-mergeWorktree` (extension): merges the branch of a worktree into the branch that it was made from. `-32011` with the reason, and nothing
 * has changed: for uncommitted changes in the worktree or in the checkout of the base, for conflicts, and if git refuses. `-32008` for an unknown id.
 */
export interface MergeWorktreeParams extends ConnectionParams {
  id: string;
}

/** `x-openWorktree` (extension): checks out the branch of a worktree in the checkout that it was made from. `-32011` and `-32008` as for `x-mergeWorktree`. */
export interface OpenWorktreeParams extends ConnectionParams {
  id: string;
}

/**
 * `x-removeWorktree` (extension): removes a worktree, and its branch if that is merged. `-32011` while a session works in it, and if work would
 * get lost. `-32008` for an unknown id.
 */
export interface RemoveWorktreeParams extends ConnectionParams {
  id: string;
  /** Whether uncommitted files are deleted too. Commits stay on the branch. Default false. */
  discard?: boolean;
}

/** A sentence for people on the outcome. */
export interface WorktreeOutcome {
  message: string;
}

/** A git worktree that the host has made. */
export interface WorktreeInfo {
  id: string;
  /** Root of the worktree. */
  uri: URI;
  /** `missing`: the folder is gone, or git knows no worktree there. */
  state: 'creating' | 'ready' | 'missing';
  /** The session that it was made for. Absent: that session was disposed of. */
  session?: URI;
  /** Root of the checkout that it was made from. */
  checkout: URI;
  /** Absent: no branch is checked out. */
  branch?: string;
  /** A branch such as `main` or `origin/main`, or the id of a commit. */
  base: string;
  /** Id of the commit that it was made from. */
  baseCommit: string;
  /** Commits that the base lacks. Absent: unknown. */
  ahead?: number;
  /** Commits of the base that the worktree lacks. Absent: unknown. */
  behind?: number;
  /** Files that differ from the last commit. Absent: unknown. */
  uncommittedChanges?: number;
  /** The work that would get lost with it, such as `2 uncommitted files`. Absent: none. */
  holds?: string;
  /** See `SessionWorktree`. */
  note?: string;
  /** ISO 8601. */
  createdAt: string;
}
