import type { AccessGrant, AccessRequest } from '@agenthost/protocol';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { homely, oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { ago } from '../render/session-line.ts';
import { shownPath } from '../render/tool-call.ts';

/** Options of `grants` and what is below it, as parsed. */
export interface GrantsOptions extends HostOptions {
  readonly json?: boolean;
  readonly all?: boolean;
}

/** `grants`: open requests, then granted access, one line each, the oldest first. */
export async function listGrants(
  context: Context,
  screen: Screen,
  options: GrantsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { items, requests } = await client.grants.list();
    const all = [
      ...requests.map((entry) => ({ state: 'requested', ...entry })),
      ...items.map((entry) => ({ state: 'granted', ...entry })),
    ];
    screen.list(all, {
      ...options,
      none: 'no client has or wants access to other files',
      columns: 'ID           AGE  STATE      ACCESS      PATH, CLIENT',
      line: (entry) => lineOf(entry, entry.state, context.home),
    });
    return EXIT.done;
  });
}

/** `grants allow` and `grants deny`. */
export async function answerGrants(
  context: Context,
  screen: Screen,
  { given, isGranted }: { readonly given: readonly string[]; readonly isGranted: boolean },
  options: GrantsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { requests } = await client.grants.list();
    for (const request of new Set(given.map((id) => find(requests, id, 'request')))) {
      await client.grants.answer(request.id, isGranted);
      if (options.json === true) screen.json({ [isGranted ? 'granted' : 'denied']: request.id });
      else screen.line(lineOf(request, isGranted ? 'granted' : 'denied', context.home));
    }
    return EXIT.done;
  });
}

/** `grants revoke`. */
export async function revokeGrants(
  context: Context,
  screen: Screen,
  given: readonly string[],
  options: GrantsOptions,
): Promise<ExitCode> {
  if ((given.length === 0) === (options.all !== true)) throw usageError('expected ids of grants, or --all');
  return withHost(context, screen, options, async ({ client }) => {
    const { items } = await client.grants.list();
    if (items.length === 0 && options.all === true && options.json !== true)
      screen.note('no client has access to other files');
    const chosen = options.all === true ? items : [...new Set(given.map((id) => find(items, id, 'grant')))];
    for (const grant of chosen) {
      await client.grants.revoke(grant.id);
      if (options.json === true) screen.json({ revoked: grant.id });
      else screen.line(lineOf(grant, 'revoked', context.home));
    }
    return EXIT.done;
  });
}

function find<T extends { readonly id: string }>(items: readonly T[], given: string, what: string): T {
  const matches = items.filter(({ id }) => given !== '' && id.startsWith(given));
  const match = matches.find(({ id }) => id === given) ?? matches[0];
  if (match === undefined)
    throw new CliError(
      EXIT.error,
      `no ${what} is called ${oneLine(given)}; \`${commandLine('grants')}\` lists them`,
    );
  if (matches.length > 1 && match.id !== given)
    throw usageError(`${matches.length} ids begin with ${oneLine(given)}`);
  return match;
}

/** `9c1f2a3b   3 min  requested  read   ~/notes  by Notes App (client 51d0…)` */
function lineOf(entry: AccessGrant | AccessRequest, state: string, home: string): string {
  const { id, createdAt, uri, read, write, clientId } = entry;
  const access = [...(read ? ['read'] : []), ...(write ? ['write'] : [])].join('+').padEnd(10);
  const name =
    'clientName' in entry && entry.clientName !== undefined ? `${oneLine(entry.clientName, 60)}, ` : '';
  const when = ago(createdAt, Date.now()).padStart(6);
  const path = homely(shownPath(uri), home);
  return `${oneLine(id.slice(0, 8))}  ${when}  ${state.padEnd(9)}  ${access}  ${path}  by ${name}client ${oneLine(clientId, 60)}`;
}
