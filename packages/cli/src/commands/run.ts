import {
  type AhpClient,
  ChannelLost,
  DispatchRejected,
  type SessionHandle,
  type TurnEvent,
} from '@agenthost/client';
import { ErrorCodes, type Turn } from '@agenthost/protocol';
import { type ApproveMode, Approver } from '../approver.ts';
import { withHost } from '../connect.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT, usageError } from '../exit.ts';
import type { HostOptions } from '../find-host.ts';
import { Interruption } from '../interruption.ts';
import { LineReader } from '../line-reader.ts';
import { promptText } from '../prompt-text.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { homely } from '../render/session-line.ts';
import { commandEnd, shownPath } from '../render/tool-call.ts';
import { errorText, TurnPrinter } from '../render/turn-printer.ts';
import { wireCodeOf } from '../rpc-answer.ts';
import { type SessionConfigOptions, sessionConfig } from '../session-config.ts';
import { isListed, shortId } from '../session-ids.ts';
import { watchConnection } from '../watch-connection.ts';
import { followAskingWorkers } from '../worker-chats.ts';
import { folderFor } from '../working-folder.ts';

/** Options of `run` as parsed. */
export interface RunOptions extends HostOptions, SessionConfigOptions {
  readonly agent?: string;
  readonly cwd?: string;
  readonly approve: ApproveMode;
  /** Seconds. */
  readonly timeout?: number;
  readonly json?: boolean;
}

/** A cancelled turn ends at once, unless the host is gone. */
const cancelLimitMs = 5_000;

/** `run`: asks an agent in a new session and streams its answer. */
export async function run(
  context: Context,
  screen: Screen,
  words: readonly string[],
  options: RunOptions,
): Promise<number> {
  if (options.cwd === '') throw usageError('--cwd: expected a folder, got nothing');
  const text = await promptText(words, context.stdin);
  const isPromptTyped = words.length > 0 && words[0] !== '-';
  const hasPerson = isPromptTyped && context.stdin.isTTY === true && context.stderr.isTTY === true;
  return withHost(context, screen, options, async ({ client, target }) => {
    const timeoutMs = options.timeout === undefined ? undefined : options.timeout * 1_000;
    const interruption = new Interruption(context, { timeoutMs });
    const reader = hasPerson && options.approve === 'ask' ? new LineReader(context.stdin) : undefined;
    const leave = watchConnection(client, screen, (reason) => interruption.stop(reason));
    try {
      const workingDirectory = await folderFor(context, options.cwd, target);
      const asking = ask({ context, screen, options, reader, client, interruption }, text, workingDirectory);
      return await settled(asking, interruption, client);
    } finally {
      leave();
      reader?.close();
      interruption.dispose();
      screen.status(undefined);
    }
  });
}

interface Run {
  readonly context: Context;
  readonly screen: Screen;
  readonly options: RunOptions;
  readonly reader: LineReader | undefined;
  readonly client: AhpClient;
  readonly interruption: Interruption;
}

async function ask(run: Run, text: string, workingDirectory: string | undefined): Promise<number> {
  const { screen, options, client, interruption } = run;
  screen.status('creating a session');
  const session = await create(run, workingDirectory).catch((cause: unknown) => {
    throw notCreated(cause);
  });
  if (interruption.signal.aborted) {
    // Nothing was asked in it.
    await client.sessions.dispose(session.uri);
    throw stopped(interruption);
  }
  introduce(run, session);
  const prompt = session.prompt(text);
  const cancel = (): void => {
    screen.status('cancelling');
    // Its outcome shows as the turn's end.
    void prompt.cancel();
  };
  interruption.signal.addEventListener('abort', cancel, { once: true });
  const show = printer(run, session);
  const approver = new Approver({
    mode: options.approve,
    screen,
    reader: run.reader,
    elsewhere: `agenthost watch ${shortId(session.uri)}`,
    form: (requestId) => session.chat.inputRequest(requestId),
  });
  const leaveWorkers = followAskingWorkers(session, screen, (event, chat) => {
    if (interruption.signal.aborted) return;
    // Functions are no JSON; what workers do besides stands in the calls that they work for.
    if (options.json === true && isQuestion(event)) screen.json({ ...event, chat: chat.mirror.uri });
    approver.handle(event, chat);
  });
  try {
    for await (const event of prompt) {
      if (interruption.signal.aborted) approver.dispose();
      else approver.handle(event);
      show(event);
    }
    return await conclude(run, session, await prompt.result);
  } catch (error) {
    throw refused(error, session);
  } finally {
    leaveWorkers();
    approver.dispose();
    interruption.signal.removeEventListener('abort', cancel);
  }
}

const isQuestion = ({ type }: TurnEvent): boolean =>
  type === 'confirmation' || type === 'resultConfirmation' || type === 'inputRequest';

async function create(
  { context, screen, options, client }: Run,
  workingDirectory: string | undefined,
): Promise<SessionHandle> {
  const draft = {
    ...(options.agent === undefined ? {} : { provider: options.agent }),
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
  };
  const config = await sessionConfig(context, client, options, draft);
  return client.sessions.create({
    ...draft,
    ...(config === undefined ? {} : { config }),
    onProgress: ({ progress, total, message = '' }) =>
      screen.status(progress === total ? 'waiting for the agent' : oneLine(message.toLowerCase(), 100)),
  });
}

/** Why there is no session, for people. */
function notCreated(cause: unknown): unknown {
  if (!(cause instanceof Error) || wireCodeOf(cause) !== ErrorCodes.ProviderNotFound) return cause;
  const message = `${oneLine(cause.message, 1_000)}; \`agenthost agents\` says why others are not there`;
  return new CliError(EXIT.error, message, { cause });
}

/** Why the host did not take the prompt, for people. */
function refused(error: unknown, { mirror }: SessionHandle): unknown {
  if (!(error instanceof DispatchRejected)) return error;
  const { creationError } = mirror.state;
  const reason = creationError === undefined ? error.reason : creationError.message;
  return new CliError(EXIT.error, oneLine(reason, 1_000), { cause: error });
}

function introduce({ context, screen, options }: Run, session: SessionHandle): void {
  const { provider, workingDirectory } = session.mirror.state;
  if (options.json === true) {
    screen.json({
      type: 'session',
      session: session.uri,
      chat: session.chat.mirror.uri,
      provider,
      ...(workingDirectory === undefined ? {} : { workingDirectory }),
    });
    return;
  }
  const where =
    workingDirectory === undefined ? '' : ` in ${homely(shownPath(workingDirectory), context.home)}`;
  screen.note(screen.colors.dim(`session ${shortId(session.uri)}: ${oneLine(provider)}${where}`));
}

function printer({ context, screen, options }: Run, session: SessionHandle): (event: TurnEvent) => void {
  if (options.json === true) {
    // The functions of an event are no JSON; its end comes with the exit code.
    return (event) => {
      if (event.type !== 'ended') screen.json(event);
    };
  }
  const showsReasoning = context.stderr.isTTY === true;
  const turns = new TurnPrinter(screen, session.mirror.state.provider, showsReasoning);
  turns.begin();
  return (event) => turns.show(event);
}

async function conclude(run: Run, session: SessionHandle, turn: Turn): Promise<number> {
  const { screen, options, interruption, client } = run;
  // The removal of a session cancels its turn first.
  const isForeign = turn.state === 'cancelled' && interruption.reason === undefined;
  const wasRemoved = isForeign && !(await isListed(client, session.uri));
  const { exitCode, message } = verdict(turn, { reason: interruption.reason, wasRemoved });
  if (options.json === true) {
    const texts = turn.responseParts.flatMap((part) => (part.kind === 'markdown' ? [part.content] : []));
    screen.json({
      type: 'ended',
      session: session.uri,
      turnId: turn.id,
      state: turn.state,
      exitCode,
      text: texts.join('\n\n'),
      ...(turn.usage === undefined ? {} : { usage: turn.usage }),
      ...(turn.error === undefined ? {} : { error: turn.error }),
    });
  }
  if (message !== undefined) screen.note(`agenthost: ${message}`);
  return exitCode;
}

/** The exit code of a turn that has ended, and what to say about it. */
export function verdict(
  turn: Turn,
  { reason, wasRemoved }: Pick<Interruption, 'reason'> & { readonly wasRemoved: boolean },
): { readonly exitCode: number; readonly message?: string } {
  switch (turn.state) {
    case 'complete':
      return { exitCode: wasDenied(turn) ? EXIT.denied : (commandExitCode(turn) ?? EXIT.done) };
    case 'error':
      return { exitCode: EXIT.error, message: errorText(turn) };
    default:
      if (reason === undefined) {
        const what = wasRemoved ? 'removed the session' : 'cancelled the turn';
        return { exitCode: EXIT.error, message: `another client ${what}` };
      }
      return { ...reason, message: `${reason.message ?? 'interrupted'}; the turn is cancelled` };
  }
}

const wasDenied = ({ responseParts }: Turn): boolean =>
  responseParts.some(
    (part) =>
      part.kind === 'toolCall' && part.toolCall.status === 'cancelled' && part.toolCall.reason !== 'skipped',
  );

/** That of the command which the message was [CHAT-17], once it has ended. */
function commandExitCode({ responseParts }: Turn): number | undefined {
  const [part] = responseParts;
  return part?.kind === 'toolCall' ? commandEnd(part.toolCall)?.exitCode : undefined;
}

/** Waits for the turn, but after an interruption no longer than a reachable host needs to end it. */
async function settled(
  asking: Promise<number>,
  interruption: Interruption,
  client: AhpClient,
): Promise<number> {
  const { signal } = interruption;
  let timer: NodeJS.Timeout | undefined;
  const givenUp = new Promise<never>((_, reject) => {
    const giveUp = (): void => {
      const isOnline = client.status.state === 'online';
      timer = setTimeout(() => reject(stopped(interruption, isOnline)), isOnline ? cancelLimitMs : 0);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([asking, givenUp]);
  } catch (error) {
    // The rest of it fails when the client closes; nobody asks any more.
    asking.catch(() => undefined);
    const { status } = client;
    if (error instanceof ChannelLost) {
      if (status.state === 'closed' || status.state === 'replaced') {
        throw new CliError(EXIT.cannotConnect, `lost the host: ${status.error.message}`, { cause: error });
      }
      throw new CliError(EXIT.error, 'another client removed the session', { cause: error });
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function stopped({ reason }: Interruption, isOnline = true): CliError {
  const fate = isOnline ? '' : '; the host could not be told, so the turn may go on there';
  return new CliError(
    reason?.exitCode ?? EXIT.interrupted,
    `${reason?.message ?? 'interrupted'}${reason?.exitCode === EXIT.cannotConnect ? '' : fate}`,
  );
}
