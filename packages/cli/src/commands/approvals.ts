import type { RememberedApproval } from '@agenthost/protocol';
import { withHost } from '../connect.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../exit.ts';
import type { HostOptions } from '../find-host.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { ago, homely } from '../render/session-line.ts';
import { shownPath } from '../render/tool-call.ts';
import { findSession, shortId } from '../session-ids.ts';
import type { CommandParts } from './command-parts.ts';

/** Options of `approvals` and what is below it, as parsed. */
interface ApprovalsOptions extends HostOptions {
  readonly json?: boolean;
  readonly all?: boolean;
}

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
    .action(async (session: string | undefined, options: ApprovalsOptions) =>
      done(await listApprovals(context, screen, session, options)),
    );
  example(approvals, [
    'agenthost approvals                  all of them, the oldest first',
    'agenthost approvals revoke 9c1f      be asked about it again',
    'agenthost approvals revoke --all',
  ]);
  command(approvals, 'revoke', 'be asked again', ['url', 'start', 'json', 'verbose'])
    .argument('[approval...]', 'ids, or their beginnings')
    .option('--all', 'every approval')
    .action(async (ids: string[], _own: object, self: typeof approvals) =>
      done(await revokeApprovals(context, screen, ids, self.optsWithGlobals<ApprovalsOptions>())),
    );
}

async function listApprovals(
  context: Context,
  screen: Screen,
  given: string | undefined,
  options: ApprovalsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const session = given === undefined ? undefined : (await findSession(client, given)).resource;
    const items = await client.approvals(session);
    if (options.json !== true && items.length === 0) screen.note('nothing is remembered');
    for (const item of items) {
      if (options.json === true) screen.json(item);
      else screen.line(lineOf(item, context.home));
    }
    return EXIT.done;
  });
}

async function revokeApprovals(
  context: Context,
  screen: Screen,
  given: readonly string[],
  options: ApprovalsOptions,
): Promise<ExitCode> {
  if ((given.length === 0) === (options.all !== true)) throw usageError('give ids of approvals, or --all');
  return withHost(context, screen, options, async ({ client }) => {
    const items = await client.approvals();
    const chosen = options.all === true ? items : [...new Set(given.map((id) => findApproval(items, id)))];
    for (const item of chosen) {
      await client.revokeApproval(item.id);
      if (options.json === true) screen.json({ revoked: item.id });
      else screen.line(`revoked ${lineOf(item, context.home)}`);
    }
    return EXIT.done;
  });
}

function findApproval(items: readonly RememberedApproval[], given: string): RememberedApproval {
  const matches = items.filter(({ id }) => given !== '' && id.startsWith(given));
  const match = matches.find(({ id }) => id === given) ?? matches[0];
  if (match === undefined) {
    throw new CliError(
      EXIT.error,
      `no approval is called ${oneLine(given)}; \`agenthost approvals\` lists them`,
    );
  }
  if (matches.length > 1 && match.id !== given)
    throw usageError(`${matches.length} approvals begin with ${oneLine(given)}`);
  return match;
}

/** `9c1f2a3b   3 min  folder ~/project  claude shell: exactly npm test` */
function lineOf(
  { id, createdAt, scope, provider, toolName, covers }: RememberedApproval,
  home: string,
): string {
  const pathOf = (uri: string): string => homely(shownPath(uri), home);
  const where =
    scope.kind === 'session' ? `session ${shortId(scope.session)}` : `folder ${pathOf(scope.folder)}`;
  const when = ago(createdAt, Date.now()).padStart(6);
  const what = `${oneLine(provider)} ${oneLine(toolName)}: ${coverText(covers, pathOf)}`;
  return `${oneLine(id.slice(0, 8))}  ${when}  ${where}  ${what}`;
}

function coverText(covers: RememberedApproval['covers'], pathOf: (uri: string) => string): string {
  switch (covers.kind) {
    case 'tool':
      return 'any use';
    case 'files':
      return `edits of ${covers.files.map(pathOf).join(', ')}`;
    case 'input':
      return `exactly ${oneLine(covers.input, 200)}`;
    default:
      return covers satisfies never;
  }
}
