import type { Command } from 'commander';
import type { ChangesOptions } from '../commands/changes.ts';
import type { CommitOptions, GitOperation, GitOptions } from '../commands/git.ts';
import type { RestoreOptions, RevertOptions } from '../commands/revert.ts';
import type { CommandParts } from './command-builder.ts';
import type { OptionName } from './options.ts';

const OPTIONS: readonly OptionName[] = ['url', 'start', 'json', 'verbose'];

const SESSION = ['<session>', 'id, or the beginning of an id'] as const;
const SESSION_HERE = [
  '[session]',
  'id, or the beginning of an id; without it, the newest session of this folder',
] as const;

/** Adds `changes`, `revert`, `restore`, `commit`, `git` and all below it. */
export function addChangesCommands(parts: CommandParts): void {
  const { context, screen, program, command, example, done } = parts;
  const showing = command(program, 'changes', 'show the files that a session has changed', [
    'ofTurn',
    'ofChat',
    'ofBranch',
    'uncommitted',
    'stat',
    'patch',
    'nameOnly',
    ...OPTIONS,
  ])
    .argument(...SESSION_HERE)
    .action(async (session: string | undefined, options: ChangesOptions) => {
      const { showChanges } = await import('../commands/changes.ts');
      done(await showChanges(context, screen, session, options));
    });
  example(showing, [
    'agenthost changes  the newest session that works in this folder',
    'agenthost changes 4f2a --turn last --patch  the diff of the last turn',
    'agenthost changes 4f2a --patch | git apply -R',
    'agenthost changes 4f2a --uncommitted --name-only',
  ]);
  const reverting = command(
    program,
    'revert',
    'revert the changes of all files or of one; other edits stay',
    ['lines', 'ofTurn', 'ofChat', 'uncommitted', 'undo', 'yes', ...OPTIONS],
  )
    .argument(...SESSION)
    .argument('[file]', 'a changed file; without it, everything is reverted')
    .action(async (session: string, file: string | undefined, options: RevertOptions) => {
      const { revert } = await import('../commands/revert.ts');
      done(await revert(context, screen, { session, file }, options));
    });
  example(reverting, [
    'agenthost revert 4f2a src/main.ts',
    'agenthost revert 4f2a src/main.ts --lines 10-12',
    'agenthost revert 4f2a --turn last --yes  everything of the last turn',
    'agenthost revert 4f2a --undo  brings back what the last revert took',
  ]);
  const restoring = command(program, 'restore', 'restore the files as they were at the end of a turn', [
    'restoredTurn',
    'ofChat',
    'undo',
    'yes',
    ...OPTIONS,
  ])
    .argument(...SESSION)
    .action(async (session: string, options: RestoreOptions) => {
      const { restore } = await import('../commands/revert.ts');
      done(await restore(context, screen, session, options));
    });
  example(restoring, [
    'agenthost restore 4f2a --turn 9c01  takes back what later turns have changed',
    'agenthost restore 4f2a --turn 9c01 --undo',
  ]);
  const committing = command(
    program,
    'commit',
    "commit a session's changes with the git of the host's user",
    ['message', 'all', 'amend', 'push', 'yes', ...OPTIONS],
  )
    .argument(...SESSION)
    .action(async (session: string, options: CommitOptions) => {
      const { commit } = await import('../commands/git.ts');
      done(await commit(context, screen, session, options));
    });
  example(committing, [
    'agenthost commit 4f2a  asks whether the proposed message is right',
    'agenthost commit 4f2a -m "Fix the parser" --push',
    'agenthost commit 4f2a --amend --yes',
  ]);
  addGitCommands(parts);
}

type Argument = readonly [name: string, description: string];

function addGitCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const git = program.command('git').description('run git operations in the folder of a session');
  example(git, [
    'agenthost git status 4f2a  branch, and changes since the last commit',
    'agenthost git stage 4f2a src/main.ts',
    'agenthost git branch 4f2a fix-parser  creates a branch and switches to it',
    'agenthost git push 4f2a',
  ]);
  command(git, 'status', 'show the branch and the uncommitted changes', OPTIONS)
    .argument(...SESSION_HERE)
    .action(async (session: string | undefined, options: GitOptions) => {
      const { showGit } = await import('../commands/git.ts');
      done(await showGit(context, screen, session, options));
    });
  const add = (name: GitOperation, description: string, argument?: Argument): void => {
    const made: Command = command(git, name, description, OPTIONS).argument(...SESSION);
    if (argument !== undefined) made.argument(...argument);
    made.action(async (session: string, ...more: unknown[]) => {
      const words = (argument === undefined ? [] : more.slice(0, 1))
        .flat()
        .filter((each) => typeof each === 'string');
      const { runGit } = await import('../commands/git.ts');
      done(await runGit(context, screen, { name, session, words }, made.opts<GitOptions>()));
    });
  };
  const files = ['[file...]', 'changed files; without any, all'] as const;
  add('stage', 'stage changes for the next commit', files);
  add('unstage', 'unstage changes', files);
  add('push', 'push the branch');
  add('pull', 'pull the branch');
  add('fetch', 'fetch from the remote');
  add('stash', 'put the uncommitted changes away', ['[message...]', 'a text to find them again']);
  add('stash-pop', 'bring back the changes that were stashed last');
  add('branch', 'create a branch and switch to it', ['<name>', 'name of the new branch']);
  add('switch', 'switch to a branch', ['<name>', 'name of the branch']);
}
