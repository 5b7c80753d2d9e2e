import type { ApprovalsOptions } from '../commands/approvals.ts';
import type { CommandParts } from './command-parts.ts';

/** Adds `approvals` and `approvals revoke`. */
export function addApprovalCommands({
  context,
  screen,
  program,
  command,
  example,
  done,
}: CommandParts): void {
  const approvals = command(
    program,
    'approvals',
    'list what runs without a question since somebody allowed it for good',
    ['url', 'start', 'json', 'verbose'],
  )
    .argument('[session]', 'id, or the beginning of one: only what holds there')
    .action(async (session: string | undefined, options: ApprovalsOptions) => {
      const { listApprovals } = await import('../commands/approvals.ts');
      done(await listApprovals(context, screen, session, options));
    });
  example(approvals, [
    'agenthost approvals  all of them, the oldest first',
    'agenthost approvals revoke 9c1f  be asked about it again',
    'agenthost approvals revoke --all',
  ]);
  command(approvals, 'revoke', 'be asked again', ['url', 'start', 'json', 'verbose'])
    .argument('[approval...]', 'ids, or their beginnings')
    .option('--all', 'every approval')
    .action(async (ids: string[], _own: object, self: typeof approvals) => {
      const { revokeApprovals } = await import('../commands/approvals.ts');
      done(await revokeApprovals(context, screen, ids, self.optsWithGlobals<ApprovalsOptions>()));
    });
}
