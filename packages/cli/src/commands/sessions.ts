import type { AhpClient } from '@agenthost/client';
import {
  type ChatSummary,
  type DiskUseResult,
  ErrorCodes,
  type SessionState,
  SessionStatus,
  type SessionSummary,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { wireCodeOf } from '../host-link/host-errors.ts';
import { areSeveral, everyHost } from '../hosts/every-host.ts';
import { findSession, shortId } from '../input/ids.ts';
import { keyValues } from '../input/settings.ts';
import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { questionTitle } from '../question/confirmation.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { bytes, SESSION_COLUMNS, sessionLine, sessionWord, statusWord } from '../render/session-line.ts';
import { shownPath } from '../render/tool-call.ts';
import type { ChangeSessionsOptions } from './change-sessions.ts';
import { searchSessions } from './search-sessions.ts';

/** Options of `sessions` and what is below it, as parsed. */
export interface SessionsOptions extends HostOptions {
  readonly limit?: number;
  readonly json?: boolean;
  /** `key=value`s that a session's metadata has to have. */
  readonly meta?: readonly string[];
  /** Lists where these words are found instead. */
  readonly search?: string;
  /** Lists archived ones too. */
  readonly archived?: boolean;
}

/** `sessions`: one line each, the last modified first. */
export async function listSessions(
  context: Context,
  screen: Screen,
  options: SessionsOptions,
): Promise<ExitCode> {
  const isWanted = filterOf(options);
  if (options.search !== undefined && !/[\p{L}\p{N}]/u.test(options.search))
    throw usageError('--search: nothing to search for');
  if (options.url === undefined && options.host === undefined) {
    const hosts = await everyHost(context, screen, options.start);
    if (areSeveral(hosts)) {
      const { listEverywhere, searchEverywhere } = await import('../hosts/all-sessions.ts');
      const { search, ...rest } = options;
      return search === undefined
        ? listEverywhere(context, screen, hosts, { ...rest, isWanted })
        : searchEverywhere(context, screen, hosts, { ...rest, query: search, isWanted });
    }
  }
  if (options.search !== undefined)
    return searchSessions(context, screen, { ...options, query: options.search, isWanted });
  return withHost(context, screen, options, async ({ client }) => {
    const limit = options.limit ?? Number.POSITIVE_INFINITY;
    let count = 0;
    let hidden = 0;
    screen.status('listing sessions');
    for await (const session of client.sessions.list()) {
      if (count >= limit || context.outputClosed.aborted) break;
      if (!isWanted(session)) {
        hidden += 1;
        continue;
      }
      if (count === 0 && options.json !== true) screen.columnNames(SESSION_COLUMNS);
      count += 1;
      const { _meta: { lifecycle } = {} } = session;
      if (options.json === true) screen.json(lifecycle === undefined ? session : { ...session, lifecycle });
      else
        screen.line(
          sessionLine(session, {
            now: Date.now(),
            home: context.home,
            columns: screen.windowColumns,
          }),
        );
    }
    screen.status(undefined);
    if (count === 0 && options.json !== true) {
      screen.note(
        hidden === 0 ? `no sessions yet; \`${commandLine('run "..."')}\` creates one` : noneFits(options),
      );
    }
    return EXIT.done;
  });
}

const noneFits = ({ meta }: SessionsOptions): string =>
  meta === undefined ? 'all sessions are archived; --archived lists them' : 'no session matches --meta';

/** Which sessions a list shows. Throws a usage error. */
function filterOf({ meta = [], archived = false }: SessionsOptions): (session: SessionSummary) => boolean {
  const wanted = Object.entries(keyValues(meta, '--meta'));
  return ({ status, _meta }) => {
    if (!archived && (status & SessionStatus.IsArchived) !== 0) return false;
    const metadata = new Map(Object.entries(Object(_meta?.['metadata'])));
    return wanted.every(([key, value]) => metadata.get(key) === value);
  };
}

/** `sessions show`: all that there is to tell of one. */
export async function showSession(
  context: Context,
  screen: Screen,
  given: string,
  options: SessionsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const session = await findSession(client, given);
    const mirror = await client.subscribe(session.resource, { kind: 'session' });
    const disk = await diskUseOf(client, session.resource);
    const waiting = await countWaiting(client, mirror.state);
    if (options.json === true) {
      screen.json({
        ...session,
        ...mirror.state,
        waitingMessages: waiting,
        ...defined({ diskUse: disk }),
      });
      return EXIT.done;
    }
    const rows: [string, string][] = [
      ['session', session.resource],
      ['title', session.title],
      ['agent', session.provider],
      ['status', statusText(session, mirror.state)],
      ['folder', session.workingDirectories?.map(shownPath).join(', ') ?? ''],
      ['project', session.project === undefined ? '' : shownPath(session.project.uri)],
      ['meta', metadataText(mirror.state)],
      ['created', session.createdAt],
      ['modified', session.modifiedAt],
      ['on disk', disk === undefined ? '' : bytes(totalBytes(disk))],
      ...mirror.state.chats.map((chat): [string, string] => [
        'chat',
        `${shortId(chat.resource)}  ${statusWord(chat.status)}  ${chat.title}${chat.resource === mirror.state.defaultChat ? '  (default)' : ''}`,
      ]),
      ['waits', waiting === 0 ? '' : `${waiting} ${waiting === 1 ? 'message' : 'messages'}`],
      ...questions(mirror.state).map((text): [string, string] => ['asks', text]),
    ];
    for (const [name, text] of rows)
      if (text !== '') screen.line(`${name.padEnd(9)} ${oneLine(text, 1_000)}`);
    return EXIT.done;
  });
}

const metadataText = ({ config }: SessionState): string =>
  Object.entries(Object(config?.values['metadata']))
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(' ');

/** Messages in the queues of its chats, for which nobody's turn has come. */
async function countWaiting(client: AhpClient, { chats }: SessionState): Promise<number> {
  let count = 0;
  for (const { resource } of chats) {
    const mirror = await client.subscribe(resource, { kind: 'chat', turns: 0 });
    count += mirror.state.queuedMessages?.length ?? 0;
    mirror.dispose();
  }
  return count;
}

function statusText(session: SessionSummary, state: SessionState): string {
  const word = sessionWord(session);
  if (word === 'failed') return `${word}: ${state.creationError?.message ?? 'no reason given'}`;
  if (state.activity !== undefined) return `${word}: ${state.activity}`;
  const isElsewhere = word === 'working' && statusWord(state.status) !== 'working';
  return isElsewhere ? 'working, not in its default chat' : word;
}

function questions({ inputNeeded }: SessionState): string[] {
  return (inputNeeded ?? []).flatMap((needed) => {
    if (needed.kind === 'toolConfirmation') return [questionTitle(needed.toolCall)];
    return needed.kind === 'chatInput' ? [needed.request.message ?? 'a question'] : [];
  });
}

/** `sessions chats`: the chats of a session, one line each, in the order in which they were made. */
export async function listChats(
  context: Context,
  screen: Screen,
  given: string,
  options: ChangeSessionsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given);
    const session = await client.subscribe(resource, { kind: 'session' });
    const { chats, defaultChat } = session.state;
    const isDefault = (chat: ChatSummary): boolean => chat.resource === defaultChat;
    screen.list(chats, {
      ...options,
      none: 'the session has no chat',
      columns: 'ID        STATUS   TITLE',
      line: (chat) => chatLine(chat, isDefault(chat)),
      value: (chat) => ({ ...chat, isDefault: isDefault(chat) }),
    });
    session.dispose();
    return EXIT.done;
  });
}

function chatLine(chat: ChatSummary, isDefault: boolean): string {
  const notes = [
    ...(isDefault ? ['default'] : []),
    ...(isIn(chat, SessionStatus.IsArchived) ? ['archived'] : []),
    ...originNotes(chat),
  ];
  const note = notes.length === 0 ? '' : `  (${notes.join(', ')})`;
  return `${shortId(chat.resource)}  ${statusWord(chat.status).padEnd(7)}  ${oneLine(chat.title)}${note}`;
}

const isIn = ({ status }: ChatSummary, bit: number): boolean => (status & bit) !== 0;

function originNotes({ origin }: ChatSummary): string[] {
  const of = (uri: URI): string => shortId(uri);
  if (origin?.kind === 'fork') return [`fork of ${of(origin.chat)}`];
  return origin?.kind === 'tool' ? [`worker of ${of(origin.chat)}`] : [];
}

/** Bytes that a session takes on the host's disk; `undefined` from a host that does not tell. */
export async function diskUseOf(client: AhpClient, channel: URI): Promise<DiskUseResult | undefined> {
  try {
    return await client.request('x-diskUse', { channel });
  } catch (error) {
    if (wireCodeOf(error) === ErrorCodes.MethodNotFound) return undefined;
    throw error;
  }
}

/** All of it. */
export const totalBytes = ({ turnsBytes, stateBytes, windowBytes, contentBytes }: DiskUseResult): number =>
  turnsBytes + stateBytes + windowBytes + contentBytes;
