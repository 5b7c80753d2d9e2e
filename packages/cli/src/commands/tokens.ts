import type { AhpClient } from '@agenthost/client';
import type { AccessToken, TokenScope } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { withHost } from '../host-link/connect.ts';
import { type HostOptions, withoutToken } from '../host-link/find-host.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { ago } from '../render/session-line.ts';

/** Options of `token` and what is below it, as parsed. */
export interface TokenOptions extends HostOptions {
  readonly json?: boolean;
  readonly scope?: TokenScope;
  readonly name?: string;
  readonly person?: string;
  readonly expires?: string;
}

/** How much of an id is shown. */
const SHOWN_ID_LENGTH = 8;

const shownId = (id: string): string => oneLine(id.slice(0, SHOWN_ID_LENGTH));

/** Permissions of a token, for display. */
const ALLOWED: Readonly<Record<TokenScope, string>> = {
  none: 'It can see nothing but the sessions that are shared with its person.',
  observe: 'It can read all sessions, chats and terminals, and change nothing.',
  interact: 'It can work in sessions and terminals: that is equal to a shell on the host.',
  admin: 'It can do everything that you can, also change settings and create tokens.',
};

/** `token create`: shows the secret this once. */
export async function createToken(
  context: Context,
  screen: Screen,
  { scope, name, person, expires, ...options }: TokenOptions,
): Promise<ExitCode> {
  const lifetimeSeconds = expires === undefined ? undefined : readDuration('--expires', expires);
  return withHost(context, screen, options, async ({ client, target }) => {
    const made = await client.tokens.create({
      ...defined({ scope, name, person, lifetimeSeconds }),
    });
    if (options.json === true) screen.json({ ...made.token, secret: made.secret });
    else {
      screen.line(oneLine(made.secret, 1_000));
      screen.note(introduction(made.token, withoutToken(target.url)));
    }
    return EXIT.done;
  });
}

/** `token list`: one line each, the oldest first. */
export async function listTokens(context: Context, screen: Screen, options: TokenOptions): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const items = await client.tokens.list();
    screen.list(items, {
      ...options,
      none: "no tokens besides the owner's",
      columns: 'ID        SCOPE     NAME, USE',
      line: lineOf,
    });
    return EXIT.done;
  });
}

/** `token revoke`: ends what is connected by them, too. */
export async function revokeTokens(
  context: Context,
  screen: Screen,
  given: readonly string[],
  options: TokenOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    for (const item of await chosen(client, given)) {
      await client.tokens.revoke(item.id);
      if (options.json === true) screen.json({ revoked: item.id });
      else screen.line(`revoked ${lineOf(item)}`);
    }
    return EXIT.done;
  });
}

/** The tokens that are meant, each once. Nothing is done when one of them is not there. */
async function chosen(client: AhpClient, given: readonly string[]): Promise<AccessToken[]> {
  const items = await client.tokens.list();
  return [...new Set(given.map((text) => findToken(items, text)))];
}

function findToken(items: readonly AccessToken[], given: string): AccessToken {
  const exact =
    items.find(({ id }) => id === given) ??
    items.find(({ id }) => id.slice(0, SHOWN_ID_LENGTH) === given) ??
    items.find(({ name }) => name === given);
  if (exact !== undefined) return exact;
  const matches = items.filter(
    ({ id, name }) => given !== '' && (id.startsWith(given) || name?.startsWith(given) === true),
  );
  const [match, ...others] = matches;
  if (match === undefined) {
    throw new CliError(
      EXIT.error,
      `no token is called ${oneLine(given) || '(nothing)'}; \`${commandLine('token list')}\` lists them`,
    );
  }
  if (others.length > 0) {
    const called = matches.slice(0, 5).map(({ id, name }) => oneLine(`${shownId(id)} ${name ?? ''}`));
    throw usageError(`${matches.length} tokens begin with ${oneLine(given)}: ${called.join(', ')}`);
  }
  return match;
}

/** Text about a new token, without its secret. */
function introduction(token: AccessToken, url: string): string {
  return [
    lineOf(token),
    'The token is shown only once: store it, or revoke it and create another.',
    ALLOWED[token.scope],
    "To use it (on another machine, with the host's address there):",
    `  AGENTHOST_URL=${oneLine(url, 1_000)} AGENTHOST_TOKEN=… ${commandLine('sessions')}`,
  ].join('\n');
}

/** `9c1f2a3b  observe   phone  made 3 d ago, used 2 min ago, expires 2026-12-22` */
function lineOf({ id, scope, name, person, createdAt, lastUsedAt, expiresAt }: AccessToken): string {
  const now = Date.now();
  const used = lastUsedAt === undefined ? 'never used' : `used ${ago(lastUsedAt, now)} ago`;
  const over = expiresAt !== undefined && Date.parse(expiresAt) <= now ? 'expired' : 'expires';
  const facts = [
    ...(person === undefined ? [] : [`of ${oneLine(person)}`]),
    `created ${ago(createdAt, now)} ago`,
    used,
    ...(expiresAt === undefined ? [] : [`${over} ${oneLine(expiresAt.slice(0, 16).replace('T', ' '))} UTC`]),
  ];
  return `${shownId(id)}  ${oneLine(scope).padEnd(8)}  ${oneLine(name ?? '-')}  ${facts.join(', ')}`;
}

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Seconds of `90m`, `12h`, `30d` or `2w`. Throws a usage error that names `option`. */
export function readDuration(option: string, text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text.trim()) ?? [];
  const seconds = Number(count) * (SECONDS[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw usageError(`${option}: expected a time such as 90m, 12h, 30d or 2w, got ${oneLine(text)}`);
}
