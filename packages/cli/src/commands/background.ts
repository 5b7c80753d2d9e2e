import type { AhpClient, ChatHandle } from '@agenthost/client';
import type { BackgroundWork } from '@agenthost/protocol';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findSession, idOf, shortId } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { ago } from '../render/session-line.ts';

/** Options of `background` and what is below it, as parsed. */
export interface BackgroundOptions extends HostOptions {
  readonly json?: boolean;
}

interface Found {
  readonly chat: ChatHandle;
  readonly work: BackgroundWork;
}

/** `background list`: the shells and workers of all chats of a session that run now [CHAT-46]. */
export function listBackground(
  context: Context,
  screen: Screen,
  given: string,
  options: BackgroundOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, ({ client }) =>
    withWork(client, given, async (all) => {
      screen.list(all, {
        ...options,
        none: 'nothing runs in the background',
        columns: 'ID        KIND       AGE  COMMAND',
        line: ({ work }) => lineOf(work),
        value: ({ chat, work }) => ({ chat: chat.mirror.uri, ...work }),
      });
      return EXIT.done;
    }),
  );
}

/** `background end`: ends shells and workers, all of them or none: a mistyped id ends nothing. */
export function endBackground(
  context: Context,
  screen: Screen,
  { given, ids }: { readonly given: string; readonly ids: readonly string[] },
  options: BackgroundOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, ({ client }) =>
    withWork(client, given, async (all) => {
      for (const { chat, work } of new Set(ids.map((id) => choose(all, id)))) {
        await chat.endBackgroundWork(work.id);
        if (options.json === true) screen.json({ chat: chat.mirror.uri, ended: work.id });
        else screen.line(`ended ${oneLine(work.label, 200)}`);
      }
      return EXIT.done;
    }),
  );
}

async function withWork(
  client: AhpClient,
  given: string,
  use: (all: readonly Found[]) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { resource } = await findSession(client, given);
  const session = await client.sessions.open(resource, { turns: 1 });
  const chats: ChatHandle[] = [];
  try {
    for (const { resource: uri } of session.mirror.state.chats)
      chats.push(await session.openChat(uri, { turns: 1 }));
    return await use(chats.flatMap((chat) => chat.backgroundWork.map((work) => ({ chat, work }))));
  } finally {
    for (const chat of chats) chat.dispose();
    session.dispose();
  }
}

function choose(all: readonly Found[], given: string): Found {
  const matches = given === '' ? [] : all.filter(({ work }) => idOf(work.id).startsWith(idOf(given)));
  const [match, ...more] = matches;
  if (match === undefined)
    throw new CliError(
      EXIT.error,
      `no work in the background has the id ${oneLine(given)}; \`background list\` lists it`,
    );
  if (more.length > 0)
    throw usageError(`${oneLine(given)} matches ${matches.length} of what runs: give more of the id`);
  return match;
}

/** `4f2a91c0  shell    3 min  npm run dev` */
function lineOf(work: BackgroundWork): string {
  const kind = work.kind === 'shell' ? 'shell' : work.kind === 'subagent' ? 'worker' : 'other';
  const what = work.kind === 'shell' ? work.command : work.label;
  return [
    shortId(work.id),
    kind.padEnd(6),
    ago(work.startedAt, Date.now()).padStart(6),
    oneLine(what, 200),
  ].join('  ');
}
