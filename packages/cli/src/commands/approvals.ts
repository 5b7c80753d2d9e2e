import type { RememberedApproval } from '@agenthost/protocol';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findSession, shortId } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { homely, oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { ago } from '../render/session-line.ts';
import { shownPath } from '../render/tool-call.ts';

/** Options of `approvals` and what is below it, as parsed. */
export interface ApprovalsOptions extends HostOptions {
  readonly json?: boolean;
  readonly all?: boolean;
}

/** `approvals`: what is remembered, one line each, the oldest first. */
export async function listApprovals(
  context: Context,
  screen: Screen,
  given: string | undefined,
  options: ApprovalsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const session = given === undefined ? undefined : (await findSession(client, given)).resource;
    const items = await client.approvals(session);
    screen.list(items, {
      ...options,
      none: 'no approvals are remembered',
      columns: 'ID           AGE  PLACE, WHAT IS ALLOWED',
      line: (item) => lineOf(item, context.home),
    });
    return EXIT.done;
  });
}

/** `approvals revoke`. */
export async function revokeApprovals(
  context: Context,
  screen: Screen,
  given: readonly string[],
  options: ApprovalsOptions,
): Promise<ExitCode> {
  if ((given.length === 0) === (options.all !== true))
    throw usageError('expected ids of approvals, or --all');
  return withHost(context, screen, options, async ({ client }) => {
    const items = await client.approvals();
    if (items.length === 0 && options.all === true && options.json !== true)
      screen.note('no approvals are remembered');
    const chosen = options.all === true ? items : [...new Set(given.map((id) => findApproval(items, id)))];
    for (const item of chosen) {
      await client.revokeApproval(item.id);
      if (options.json === true) screen.json({ revoked: item.id });
      else screen.line(`revoked ${lineOf(item, context.home)}`);
    }
    const agents = new Set(
      chosen.flatMap(({ covers, provider }) => (covers.kind === 'agent' ? [provider] : [])),
    );
    for (const agent of agents) screen.note(fateOfAgentsMemory(oneLine(agent)));
    return EXIT.done;
  });
}

function findApproval(items: readonly RememberedApproval[], given: string): RememberedApproval {
  const matches = items.filter(({ id }) => given !== '' && id.startsWith(given));
  const match = matches.find(({ id }) => id === given) ?? matches[0];
  if (match === undefined) {
    throw new CliError(
      EXIT.error,
      `no approval is called ${oneLine(given)}; \`${commandLine('approvals')}\` lists them`,
    );
  }
  if (matches.length > 1 && match.id !== given)
    throw usageError(`${matches.length} approvals begin with ${oneLine(given)}`);
  return match;
}

/** `9c1f2a3b   3 min  folder ~/project  claude shell: exactly npm test` */
function lineOf(
  { id, createdAt, scope, provider, toolName, covers, label }: RememberedApproval,
  home: string,
): string {
  const pathOf = (uri: string): string => homely(shownPath(uri), home);
  const where =
    scope.kind === 'session' ? `session ${shortId(scope.session)}` : `folder ${pathOf(scope.folder)}`;
  const when = ago(createdAt, Date.now()).padStart(6);
  const what = `${oneLine(provider)} ${oneLine(toolName)}: ${coverText(covers, label, pathOf)}`;
  return `${oneLine(id.slice(0, 8))}  ${when}  ${where}  ${what}`;
}

/** Limits of revoking an approval that the agent itself remembers. */
const fateOfAgentsMemory = (agent: string): string =>
  `${agent} has remembered this itself: with the next turn it gets a new session of its own and asks again. The running turn is not affected. Entries in files of ${agent} must be removed by hand`;

function coverText(
  covers: RememberedApproval['covers'],
  label: string,
  pathOf: (uri: string) => string,
): string {
  switch (covers.kind) {
    case 'agent':
      return `remembered by the agent: "${oneLine(label, 200)}"`;
    case 'tool':
      return 'every use';
    case 'files':
      return `edits of ${covers.files.map(pathOf).join(', ')}`;
    case 'input':
      return `exactly ${oneLine(covers.input, 200)}`;
    default:
      return covers satisfies never;
  }
}
