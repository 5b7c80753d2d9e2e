import type { SessionRole, SessionShare } from '@agenthost/protocol';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findSession, shortId } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `share` and `unshare` as parsed. */
export interface ShareOptions extends HostOptions {
  readonly json?: boolean;
  readonly person?: string;
  readonly role?: SessionRole;
}

/** `share`: gives a person a role in a session. Without a person it lists the roles of the session, or of all sessions. */
export async function share(
  context: Context,
  screen: Screen,
  given: string | undefined,
  { person, role = 'observe', ...options }: ShareOptions,
): Promise<ExitCode> {
  if (person !== undefined && given === undefined)
    throw usageError(`--person needs a session: \`${commandLine('share <session> --person <name>')}\``);
  return withHost(context, screen, options, async ({ client }) => {
    const session = given === undefined ? undefined : (await findSession(client, given)).resource;
    if (session === undefined || person === undefined) {
      const items = await client.tokens.listRoles(session);
      screen.list(items, {
        ...options,
        none: `nothing is shared; \`${commandLine('share <session> --person <name>')}\` shares a session`,
        columns: 'SESSION   ROLE      PERSON',
        line: lineOf,
      });
      return EXIT.done;
    }
    await client.tokens.setRole(session, person, role);
    tell(screen, options, { session, person, role });
    const tokens = options.json === true ? [] : await tokensOf(client, person);
    if (tokens !== undefined && tokens.length === 0 && options.json !== true)
      screen.note(
        `${oneLine(person)} has no token yet; \`${commandLine('token create --scope none --person <name>')}\` creates one that shows only shared sessions`,
      );
    return EXIT.done;
  });
}

/** The tokens of a person; `undefined` for a caller that may not list tokens. */
async function tokensOf(
  client: Parameters<Parameters<typeof withHost>[3]>[0]['client'],
  person: string,
): Promise<readonly object[] | undefined> {
  if (client.scope !== 'admin') return undefined;
  return (await client.tokens.list()).filter((token) => token.person === person);
}

/** `unshare`: ends the role of a person in a session, at once. */
export async function unshare(
  context: Context,
  screen: Screen,
  given: string,
  { person, ...options }: ShareOptions,
): Promise<ExitCode> {
  if (person === undefined) throw usageError('--person is required: the person whose role ends');
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given);
    const found = (await client.tokens.listRoles(resource)).find((item) => item.person === person);
    if (found === undefined)
      throw new CliError(EXIT.error, `${oneLine(person)} has no role in session ${shortId(resource)}`);
    await client.tokens.setRole(resource, person);
    if (options.json === true) screen.json({ unshared: found });
    else screen.line(`unshared ${lineOf(found)}`);
    return EXIT.done;
  });
}

function tell(screen: Screen, { json }: ShareOptions, item: SessionShare): void {
  if (json === true) screen.json(item);
  else screen.line(lineOf(item));
}

const lineOf = ({ session, role, person }: SessionShare): string =>
  `${shortId(session).padEnd(8)}  ${oneLine(role).padEnd(8)}  ${oneLine(person)}`;
