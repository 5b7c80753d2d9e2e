import type { OptionSpec } from './option-spec.ts';

/** Options of `changes`, `revert`, `restore` and `commit`. */
export const CHANGES_OPTIONS = {
  ofTurn: {
    flags: '--turn <turn>',
    type: 'text',
    description:
      'only this turn: `last`, an id, or the beginning of an id; first..second means the turns after the first',
    defaultText: 'all turns of the session',
  },
  restoredTurn: {
    flags: '--turn <turn>',
    type: 'text',
    description: 'the turn: an id, or the beginning of an id',
  },
  ofChat: {
    flags: '--chat <chat>',
    type: 'text',
    description: 'only this chat: id, or the beginning of an id',
    defaultText: 'all chats; with --turn the default chat',
  },
  ofBranch: {
    flags: '--branch',
    type: 'flag',
    description: 'everything that differs from the default branch',
  },
  uncommitted: {
    flags: '--uncommitted',
    type: 'flag',
    description: 'everything that differs from the last commit',
  },
  stat: {
    flags: '--stat',
    type: 'flag',
    description: 'list the files with their counts of lines (the default)',
  },
  patch: {
    flags: '-p, --patch',
    type: 'flag',
    description: 'print the diff, as `git apply` takes it; on a terminal binary files are only named',
  },
  nameOnly: { flags: '--name-only', type: 'flag', description: 'print only the paths' },
  lines: {
    flags: '--lines <first-last>',
    type: 'text',
    description:
      'only changes that touch these lines, counted from 1 in the new version that `changes --patch` shows',
    defaultText: 'the whole file',
  },
  undo: { flags: '--undo', type: 'flag', description: 'undo the last revert or restore' },
  message: {
    flags: '-m, --message <text>',
    type: 'text',
    description: 'the commit message; - reads it from standard input',
    defaultText: 'the message that the host proposes; with --amend that of the last commit',
  },
  all: {
    flags: '-a, --all',
    type: 'flag',
    description: 'commit unstaged changes too; the default if nothing is staged',
  },
  amend: { flags: '--amend', type: 'flag', description: 'replace the last commit' },
  push: { flags: '--push', type: 'flag', description: 'push the branch afterwards' },
} as const satisfies Record<string, OptionSpec>;
