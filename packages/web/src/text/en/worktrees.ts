/** Texts of the feature `worktrees`: the git worktrees that sessions work in. */
export const worktrees = {
  label: 'Worktree',
  noBranch: 'no branch',
  from: (base: string) => `from ${base}`,
  ahead: (count: number, base: string) =>
    count === 1 ? `1 commit that ${base} lacks` : `${count} commits that ${base} lacks`,
  behind: (count: number, base: string) =>
    count === 1 ? `1 commit of ${base} is missing here` : `${count} commits of ${base} are missing here`,
  aheadShort: (count: number) => `${count} ahead`,
  behindShort: (count: number) => `${count} behind`,
  uncommitted: (count: number) => (count === 1 ? '1 uncommitted file' : `${count} uncommitted files`),
  missing: 'The folder is gone, or git knows no worktree there.',
  merge: (base: string) => `Merge into ${base}`,
  mergeTitle: (branch: string, base: string) => `Merge ${branch} into ${base}?`,
  mergeText: 'The commits of the branch become part of the base, on this machine only. The worktree stays.',
  mergeUncommitted: (count: number) =>
    count === 1
      ? 'The worktree has 1 uncommitted file. Commit it first.'
      : `The worktree has ${count} uncommitted files. Commit them first.`,
  nothingToMerge: (base: string) => `${base} has all commits of the branch`,
  noLocalBase: (base: string) => `${base} is no local branch`,
  showUncommitted: 'Show uncommitted changes',
  actions: 'Worktree actions',
  open: 'Check out the branch in the project',
  openTitle: (branch: string) => `Check out ${branch} in the project?`,
  openText:
    'The folder of the project changes to this branch. The worktree keeps its files, without a branch. Refused if the project has changed files.',
  openConfirm: 'Check out',
  remove: 'Remove…',
  stays: 'The worktree stays while its session exists',
  staysText:
    'Delete the session to remove the worktree. The host keeps a worktree with uncommitted files, or with commits that are not merged or pushed. “Settings → Worktrees” lists it then.',
  manage: 'All worktrees',
  refused: 'Git changed nothing',
  dismiss: 'Dismiss',

  explain:
    'A session with the option “Isolation” works in a copy of the repository with a branch of its own. The host removes it with the session, unless it holds work.',
  none: 'No worktrees',
  noneText: 'Choose “In a git worktree” for the option “Isolation” of a new session.',
  list: 'Worktrees',
  creating: 'being made',
  holds: (work: string) => `Holds ${work}`,
  ofSession: 'Session',
  removeNamed: (branch: string) => `Remove the worktree of ${branch}`,
  removeShort: 'Remove',
  removeTitle: 'Remove this worktree?',
  removeText: 'The folder is deleted, and its branch if all its commits are merged.',
  discardTitle: 'Remove the worktree with its work?',
  discardText: (work: string) =>
    `It holds ${work}. Uncommitted files are deleted and cannot be brought back. Commits stay on the branch.`,
  discardConfirm: 'Delete uncommitted files and remove',
  usedText: 'A session works in it. Delete the session first.',
  mergeShort: 'Merge',
  openShort: 'Check out',
  inBranch: (branch: string) => `Works in a git worktree, on the branch ${branch}`,
  failed: (reason: string) => `Refused: ${reason}`,
};
