import type { AhpClient, ChatHandle, SessionHandle } from '@agenthost/client';
import { ErrorCodes, SessionStatus } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { errorSentence, wireCodeOf } from '../host-link/host-errors.ts';
import { findChat, findSession } from '../input/ids.ts';
import { checkModel, type SessionConfigOptions, sessionConfig } from '../input/session-options.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { shownPath } from '../render/tool-call.ts';

/** Where `run` asks, as parsed. */
export interface RunChatOptions extends SessionConfigOptions {
  readonly agent?: string;
  readonly model?: string;
  readonly cwd?: string;
  /** Further working directories. */
  readonly dir?: readonly string[];
  /** Goes on in this session. */
  readonly session?: string;
  /** Goes on in the newest session of the folder. */
  readonly continue?: boolean;
  readonly chat?: string;
  readonly newChat?: boolean;
  /** Waits for the turn that runs there. */
  readonly queue?: boolean;
}

/** A chat to ask in. */
export interface RunChat {
  readonly session: SessionHandle;
  readonly chat: ChatHandle;
  /** Whether nothing in it waited to be looked at. */
  readonly wasRead: boolean;
  /** Removes what was made for it. */
  discard(): Promise<void>;
}

/** Checks which options go together. Throws a usage error. */
export function checkRunChat({ session: named, continue: continues, ...options }: RunChatOptions): void {
  if (named !== undefined && continues === true)
    throw usageError('--session and --continue cannot be used together');
  const session = named ?? (continues === true ? '' : undefined);
  const isGiven = (value: unknown): boolean => value !== undefined && value !== false;
  const find = (flags: readonly (readonly [flag: string, value: unknown])[]): string | undefined =>
    flags.find(([, value]) => isGiven(value))?.[0];
  const { agent, cwd, dir, config, instructions, meta, chat, newChat, queue } = options;
  if (session === undefined) {
    const flag = find([
      ['--chat', chat],
      ['--new-chat', newChat],
      ['--queue', queue],
    ]);
    if (flag !== undefined) throw usageError(`${flag} requires --session or --continue`);
    return;
  }
  const flag = find([
    ['--agent', agent],
    // The folder whose newest session continues.
    ['--cwd', continues === true ? undefined : cwd],
    ['--dir', dir],
    ['--config', config],
    ['--instructions', instructions],
    ['--meta', meta],
  ]);
  if (flag !== undefined) {
    const isSetting = !['--agent', '--cwd', '--dir'].includes(flag);
    const line = commandLine(`sessions set ${oneLine(session) || '…'} …`);
    const other = isSetting ? `; \`${line}\` changes an existing session` : '';
    throw usageError(
      `${flag} applies to new sessions only: remove it, or remove --${continues === true ? 'continue' : 'session'}${other}`,
    );
  }
  if (chat !== undefined && newChat === true)
    throw usageError('--chat and --new-chat cannot be used together');
}

/** The URI of the session that was modified last in a folder, by its URI. Archived sessions do not count. Rejects with a `CliError`. */
export async function newestSession(client: AhpClient, folder: string | undefined): Promise<string> {
  if (folder === undefined) throw usageError('--continue requires --cwd for a host on another machine');
  for await (const { resource, status, workingDirectories } of client.sessions.list())
    if (workingDirectories?.[0] === folder && (status & SessionStatus.IsArchived) === 0) return resource;
  throw new CliError(
    EXIT.error,
    `no session of ${oneLine(shownPath(folder), 1_000)} to continue: remove --continue to start one`,
  );
}

/** Opens the chat that was asked for. */
export async function openRunChat(
  client: AhpClient,
  options: RunChatOptions & { readonly session: string },
): Promise<RunChat> {
  const { resource } = await findSession(client, options.session);
  const session = await client.sessions.open(resource, { turns: 0 });
  await checkModel(client, options.model, session.mirror.state.provider);
  const wasRead = (session.mirror.state.status & SessionStatus.IsRead) !== 0;
  if (options.newChat === true) {
    const chat = await newChat(session);
    return { session, chat, wasRead, discard: () => session.disposeChat(chat.mirror.uri) };
  }
  const uri = options.chat === undefined ? undefined : findChat(session.mirror.state, options.chat, resource);
  const isDefault = uri === undefined || uri.resource === session.chat.mirror.uri;
  const chat = isDefault ? session.chat : await session.openChat(uri.resource, { turns: 0 });
  return { session, chat, wasRead, discard: () => Promise.resolve() };
}

async function newChat(session: SessionHandle): Promise<ChatHandle> {
  try {
    return await session.createChat();
  } catch (cause) {
    if (!(cause instanceof Error) || wireCodeOf(cause) !== ErrorCodes.InvalidParams) throw cause;
    throw new CliError(EXIT.error, `--new-chat: ${oneLine(errorSentence(cause), 1_000)}`, { cause });
  }
}

/** Makes a session to ask in. */
export async function createRunChat(
  { context, screen, client }: { context: Context; screen: Screen; client: AhpClient },
  options: RunChatOptions,
  [workingDirectory, ...more]: readonly (string | undefined)[],
): Promise<RunChat> {
  await checkModel(client, options.model, options.agent);
  const directories = [workingDirectory, ...more].filter((uri) => uri !== undefined);
  const draft = {
    ...defined({ provider: options.agent, workingDirectory }),
  };
  try {
    const config = await sessionConfig(context, client, options, draft);
    const session = await client.sessions.create({
      ...defined({
        provider: options.agent,
        workingDirectories: directories.length === 0 ? undefined : directories,
        config,
      }),
      onProgress: ({ progress, total, message = '' }) =>
        screen.status(progress === total ? 'waiting for the agent' : oneLine(message.toLowerCase(), 100)),
    });
    return {
      session,
      chat: session.chat,
      wasRead: true,
      discard: () => client.sessions.dispose(session.uri),
    };
  } catch (cause) {
    throw notCreated(cause);
  }
}

/** Why there is no session, for people. */
function notCreated(cause: unknown): unknown {
  if (!(cause instanceof Error) || wireCodeOf(cause) !== ErrorCodes.ProviderNotFound) return cause;
  const message = `${oneLine(errorSentence(cause), 1_000)}; \`${commandLine('agents')}\` shows why other agents are not available`;
  return new CliError(EXIT.error, message, { cause });
}
