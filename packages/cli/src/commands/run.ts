import {
  type AhpClient,
  DispatchRejected,
  type Prompt,
  type SessionHandle,
  type TurnEvent,
} from '@agenthost/client';
import { errorOf, type Message, type Turn } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { withHost } from '../host-link/connect.ts';
import { type HostOptions, hostOptionText } from '../host-link/find-host.ts';
import { rejectionSentence } from '../host-link/host-errors.ts';
import { watchConnection } from '../host-link/host-watch.ts';
import { isListed, shortId } from '../input/ids.ts';
import { promptText, withAttachments } from '../input/prompt.ts';
import { folderFor } from '../input/session-options.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { Interruption } from '../process/interruption.ts';
import { LineReader } from '../process/line-reader.ts';
import { commandLine } from '../process/own-command.ts';
import { homely, oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { shownPath } from '../render/tool-call.ts';
import { TurnPrinter } from '../render/turn-printer.ts';
import { type ApproveMode, Approver, checkApproval, contradict } from '../run/approver.ts';
import { cancelTurn } from '../run/cancel-turn.ts';
import { queuedTurn } from '../run/queued-messages.ts';
import {
  checkRunChat,
  createRunChat,
  newestSession,
  openRunChat,
  type RunChat,
  type RunChatOptions,
} from '../run/run-chat.ts';
import { isDenied, markRead, settled, stopped, verdict } from '../run/turn-end.ts';
import { followAskingWorkers } from '../watch/chat-follower.ts';

/** Options of `run` as parsed. */
export interface RunOptions extends HostOptions, RunChatOptions {
  readonly approve: ApproveMode;
  /** Files that go with the prompt, with lines or without. */
  readonly attach?: readonly string[];
  /** Seconds. */
  readonly timeout?: number;
  readonly json?: boolean;
}

/** `run`: asks an agent, in a new session or in one that is there, and streams its answer. */
export async function run(
  context: Context,
  screen: Screen,
  words: readonly string[],
  options: RunOptions,
): Promise<number> {
  if (options.cwd === '') throw usageError('--cwd: expected a folder, got nothing');
  if (options.dir?.includes('') === true) throw usageError('--dir: expected a folder, got nothing');
  checkRunChat(options);
  checkApproval(options);
  const text = await promptText(words, context.stdin);
  if (text.trim() === '!') throw usageError('a command is required after the !');
  const isPromptTyped = words.length > 0 && words[0] !== '-';
  const hasPerson = isPromptTyped && context.stdin.isTTY === true && context.stderr.isTTY === true;
  return withHost(context, screen, options, async ({ client, target }) => {
    const timeoutMs = options.timeout === undefined ? undefined : options.timeout * 1_000;
    const interruption = new Interruption(context, { timeoutMs });
    const reader = hasPerson && options.approve === 'ask' ? new LineReader(context.stdin) : undefined;
    const leave = watchConnection(client, screen, (reason) => interruption.stop(reason));
    try {
      const { isOwn } = target;
      const parts = { context, screen, options, reader, client, interruption, isOwn };
      const open = async (): Promise<RunChat> => {
        if (isOngoing(options)) return openRunChat(client, options);
        if (options.continue === true) {
          const folder = await folderFor(context, options.cwd, target);
          return openRunChat(client, { ...options, session: await newestSession(client, folder) });
        }
        screen.status('creating a session');
        const folders = [await folderFor(context, options.cwd, target)];
        for (const more of options.dir ?? []) folders.push(await folderFor(context, more, target, '--dir'));
        return createRunChat(parts, options, folders);
      };
      const asking = open().then((opened) => ask(parts, text, opened));
      return await settled(asking, interruption, client);
    } finally {
      leave();
      reader?.close();
      interruption.dispose();
      screen.status(undefined);
    }
  });
}

const isOngoing = (options: RunOptions): options is RunOptions & { readonly session: string } =>
  options.session !== undefined;

interface Run {
  readonly context: Context;
  readonly screen: Screen;
  readonly options: RunOptions;
  readonly reader: LineReader | undefined;
  readonly client: AhpClient;
  readonly interruption: Interruption;
  /** The host is on this machine. */
  readonly isOwn: boolean;
}

async function ask(run: Run, text: string, opened: RunChat): Promise<number> {
  const { screen, options, interruption } = run;
  const { session, chat } = opened;
  if (interruption.signal.aborted) {
    // The session is unused.
    await opened.discard();
    throw stopped(interruption);
  }
  const asked = await messageOf(run, text, opened);
  const { model } = options;
  const message = model === undefined ? asked : { ...asked, model: { id: model } };
  introduce(run, opened);
  // The setting of the session, or of the host.
  const approvals = session.mirror.state.config?.values['approvals'];
  if (contradict(approvals, options.approve)) {
    const line = commandLine(`sessions set ${shortId(session.uri)} approvals=ask${hostOptionText(options)}`);
    screen.note(
      `agenthost: the session has approvals=${String(approvals)}, which decides before --approve: --approve ${options.approve} has no effect; \`${line}\` changes it`,
    );
  }
  const prompt = options.queue === true ? await queued(run, message, opened) : chat.prompt(message);
  const cancel = (): void => void cancelTurn(prompt, screen);
  interruption.signal.addEventListener('abort', cancel, { once: true });
  const show = printer(run, session);
  const approver = new Approver({
    mode: options.approve,
    screen,
    scope: run.client.scope,
    reader: run.reader,
    elsewhere: commandLine(`watch ${shortId(session.uri)}${hostOptionText(options)}`),
    form: (requestId) => chat.inputRequest(requestId),
  });
  const workers = { session, main: chat.mirror.uri };
  let wasWorkerDenied = false;
  const leaveWorkers = followAskingWorkers(workers, screen, (event, worker) => {
    wasWorkerDenied ||= event.type === 'toolCall' && isDenied(event.toolCall);
    if (interruption.signal.aborted) return;
    // JSON drops the event's functions. Other events of workers show in the calls that they work for.
    if (options.json === true && isQuestion(event)) screen.json({ ...event, chat: worker.mirror.uri });
    approver.handle(event, worker);
  });
  try {
    for await (const event of prompt) {
      if (interruption.signal.aborted) approver.dispose();
      else approver.handle(event);
      show(event);
    }
    return await conclude(run, opened, { turn: await prompt.result, wasWorkerDenied });
  } catch (error) {
    // Nothing was asked in what was made for it: an unknown model, an attachment that the agent does not take. A session that could not be
    // made stays, since it says why.
    const isRefused = error instanceof DispatchRejected && session.mirror.state.creationError === undefined;
    if (isRefused) await opened.discard();
    throw refused(error, opened, options);
  } finally {
    leaveWorkers();
    approver.dispose();
    interruption.signal.removeEventListener('abort', cancel);
  }
}

/** The prompt with its attachments; what was made for it goes when one cannot be read. */
async function messageOf(
  { context, options, isOwn }: Run,
  text: string,
  { session, discard }: RunChat,
): Promise<Message> {
  const [workingDirectory] = session.mirror.state.workingDirectories ?? [];
  try {
    return await withAttachments(context, text, options.attach ?? [], { isOwn, workingDirectory });
  } catch (error) {
    await discard();
    throw error;
  }
}

const isQuestion = ({ type }: TurnEvent): boolean =>
  type === 'confirmation' || type === 'resultConfirmation' || type === 'inputRequest';

/** The turn of a message that waits for what runs before it. */
async function queued(
  { screen, options, client, interruption }: Run,
  message: Message,
  opened: RunChat,
): Promise<Prompt> {
  const { session, chat } = opened;
  const { signal } = interruption;
  screen.status('waiting for its turn');
  const onQueued = (): void => {
    if (options.json === true) screen.json({ type: 'queued', chat: chat.mirror.uri });
    else screen.note(screen.colors.dim('queued behind the running turn'));
  };
  const onHeld = (): void =>
    screen.note(
      `no turn is running: \`${commandLine(`queue go ${place(opened, options)}`)}\` starts the first queued message`,
    );
  const turnId = await queuedTurn(client, chat, { message, signal, onQueued, onHeld }).catch(
    (error: unknown) => {
      throw refused(error, opened, options);
    },
  );
  if (turnId === undefined) throw stopped(interruption);
  if (options.json !== true) screen.status(`waiting for ${oneLine(session.mirror.state.provider)}`);
  const prompt = chat.follow(turnId);
  // The turn began before it could be taken back.
  if (signal.aborted) void prompt.cancel();
  return prompt;
}

/** Why the host did not take the prompt, for people. */
function refused(error: unknown, opened: RunChat, options: HostOptions): unknown {
  if (!(error instanceof DispatchRejected)) return error;
  if (error.code === 'turnActive') {
    const message = `a turn is running there: \`${commandLine(`queue add ${place(opened, options)}`)}\` sends the message afterwards, \`run --queue\` also waits for the answer`;
    return new CliError(EXIT.error, message, { cause: error });
  }
  if (error.code === 'draining') {
    const message = `the host finishes its running turns before it stops: \`${commandLine(`queue add ${place(opened, options)}`)}\` sends the message when the host is back`;
    return new CliError(EXIT.error, message, { cause: error });
  }
  const { creationError } = opened.session.mirror.state;
  const reason = creationError === undefined ? rejectionSentence(error) : creationError.message;
  return new CliError(EXIT.error, oneLine(reason, 1_000), { cause: error });
}

/** How other commands are told which chat. */
function place({ session, chat }: RunChat, options: HostOptions): string {
  const { uri } = chat.mirror;
  const isDefault = uri === session.mirror.state.defaultChat;
  return `${shortId(session.uri)}${isDefault ? '' : ` --chat ${shortId(uri)}`}${hostOptionText(options)}`;
}

function introduce({ context, screen, options }: Run, { session, chat }: RunChat): void {
  const { provider, workingDirectories } = session.mirror.state;
  if (options.json === true) {
    screen.json({
      type: 'session',
      session: session.uri,
      chat: chat.mirror.uri,
      provider,
      ...defined({ model: options.model, workingDirectories }),
    });
    return;
  }
  const isDefault = chat.mirror.uri === session.mirror.state.defaultChat;
  const which = isDefault ? '' : `, chat ${shortId(chat.mirror.uri)}`;
  const model = options.model === undefined ? '' : ` (${oneLine(options.model, 100)})`;
  const folders = workingDirectories?.map((uri) => homely(shownPath(uri), context.home)) ?? [];
  const where = folders.length === 0 ? '' : ` in ${folders.join(', ')}`;
  screen.note(
    screen.colors.dim(`session ${shortId(session.uri)}${which}: ${oneLine(provider)}${model}${where}`),
  );
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

async function conclude(
  run: Run,
  opened: RunChat,
  { turn, wasWorkerDenied }: { readonly turn: Turn; readonly wasWorkerDenied: boolean },
): Promise<number> {
  const { session } = opened;
  const { screen, options, interruption, client } = run;
  // Removing a session cancels its turn first.
  const isForeign = turn.state === 'cancelled' && interruption.reason === undefined;
  const wasRemoved = isForeign && !(await isListed(client, session.uri));
  // The shown answer counts as read. Earlier unread turns of others do not.
  if (opened.wasRead && !wasRemoved) await markRead(client, session);
  const { exitCode, message } = verdict(turn, {
    reason: interruption.reason,
    wasRemoved,
    wasWorkerDenied,
  });
  if (options.json === true) {
    const texts = turn.responseParts.flatMap((part) => (part.kind === 'markdown' ? [part.content] : []));
    screen.json({
      type: 'ended',
      session: session.uri,
      turnId: turn.id,
      state: turn.state,
      exitCode,
      text: texts.join('\n\n'),
      ...defined({ usage: turn.usage, error: errorOf(turn) }),
    });
  }
  if (message !== undefined) screen.note(`agenthost: ${message}`);
  return exitCode;
}
