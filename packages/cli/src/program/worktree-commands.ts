import type { Command } from 'commander';
import type { NewWorktreeOptions, RemoveWorktreesOptions, WorktreesOptions } from '../commands/worktrees.ts';
import type { CommandParts } from './command-builder.ts';
import type { OptionName } from './options.ts';

const OPTIONS: readonly OptionName[] = ['url', 'start', 'json', 'verbose'];

const WORKTREE = ['<worktree>', 'id of a worktree or its session, or the beginning of an id'] as const;

/** Adds `worktrees` and what is below it. */
export function addWorktreeCommands({
  context,
  screen,
  program,
  command,
  example,
  done,
}: CommandParts): void {
  const worktrees = command(program, 'worktrees', 'list the git worktrees of sessions', OPTIONS).action(
    async (options: WorktreesOptions) => {
      const { listWorktrees } = await import('../commands/worktrees.ts');
      done(await listWorktrees(context, screen, options));
    },
  );
  example(worktrees, [
    'agenthost run --config isolation=worktree "fix the flaky test"',
    'agenthost run --config isolation=worktree --config base=v2 "port the fix"',
    'agenthost worktrees',
    'agenthost worktrees merge 4f2a  into the branch that it was made from',
    'agenthost worktrees open 4f2a  check its branch out in your own checkout',
    'agenthost worktrees remove 4f2a',
  ]);
  command(worktrees, 'list', 'list the git worktrees of sessions', OPTIONS).action(
    async (_own: object, self: Command) => {
      const { listWorktrees } = await import('../commands/worktrees.ts');
      done(await listWorktrees(context, screen, self.optsWithGlobals<WorktreesOptions>()));
    },
  );
  command(worktrees, 'merge', 'merge the branch of a worktree into the branch that it was made from', OPTIONS)
    .argument(...WORKTREE)
    .action(async (given: string, _own: object, self: Command) => {
      const { mergeWorktree } = await import('../commands/worktrees.ts');
      done(await mergeWorktree(context, screen, given, self.optsWithGlobals<WorktreesOptions>()));
    });
  command(
    worktrees,
    'open',
    'check out the branch of a worktree in the checkout that it was made from',
    OPTIONS,
  )
    .argument(...WORKTREE)
    .action(async (given: string, _own: object, self: Command) => {
      const { openWorktree } = await import('../commands/worktrees.ts');
      done(await openWorktree(context, screen, given, self.optsWithGlobals<WorktreesOptions>()));
    });
  const removing = command(worktrees, 'remove', 'remove worktrees; commits stay on their branches', [
    'discard',
    ...OPTIONS,
  ])
    .alias('rm')
    .argument('<worktree...>', 'ids of worktrees, or beginnings of ids')
    .action(async (given: string[], _own: object, self: Command) => {
      const { removeWorktrees } = await import('../commands/worktrees.ts');
      done(await removeWorktrees(context, screen, given, self.optsWithGlobals<RemoveWorktreesOptions>()));
    });
  example(removing, [
    'agenthost worktrees remove 9c1f',
    'agenthost worktrees remove --discard 9c1f  deletes uncommitted files',
  ]);
  const making = command(worktrees, 'new', 'make a further worktree for a session, or for one of its chats', [
    'base',
    'chat',
    ...OPTIONS,
  ])
    .argument('<session>', 'id, or the beginning of an id')
    .action(async (given: string, _own: object, self: Command) => {
      const { newWorktree } = await import('../commands/worktrees.ts');
      done(await newWorktree(context, screen, given, self.optsWithGlobals<NewWorktreeOptions>()));
    });
  example(making, ['agenthost worktrees new 4f2a', 'agenthost worktrees new 4f2a --chat 77b0 --base main']);
}
