import { type DispatchOutcome, DispatchRejected, type MessageQueue } from '@agenthost/client';
import { type Message, type PendingMessage, ROOT_URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { rejectionSentence } from '../host-link/host-errors.ts';
import { findChat, findSession, shortId } from '../input/ids.ts';
import { promptText } from '../input/prompt.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { steerWaiting } from '../run/queued-messages.ts';

/** Options of `queue` and what is below it, as parsed. */
export interface QueueOptions extends HostOptions {
  readonly json?: boolean;
  readonly chat?: string;
}

/** A change of the queue: the command below `queue`, the session, and the words after it. */
export interface QueueChange {
  readonly name: keyof typeof CHANGES;
  readonly session: string;
  readonly words: readonly string[];
}

/** A turn that came out of the queue meanwhile: a chat where none runs takes a message that is queued at once [CHAT-12]. */
interface StartedTurn {
  readonly turnId: string;
  readonly message: Message;
}

/** Changes the queue of a chat, and shows the turns that it started and the queue afterwards. */
export async function changeQueue(
  context: Context,
  screen: Screen,
  { name, session: given, words }: QueueChange,
  options: QueueOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given);
    const session = await client.sessions.open(resource, { turns: 0 });
    const chat =
      options.chat === undefined
        ? session.chat
        : await session.openChat(findChat(session.mirror.state, options.chat, resource).resource, {
            turns: 0,
          });
    const { queue, mirror } = chat;
    const started: StartedTurn[] = [];
    mirror.onAction(({ action, origin }) => {
      // Turns that started before our change are not ours: reading the text may have taken long.
      if (origin?.clientId === client.clientId) started.length = 0;
      if (action.type === 'chat/turnStarted' && action.queuedMessageId !== undefined) started.push(action);
    });
    const before = queue.steering;
    const outcome = await CHANGES[name](queue, words, {
      stdin: context.stdin,
      isRunning: mirror.state.activeTurn !== undefined,
    });
    if (outcome !== undefined) check(outcome);
    // The effects of the change arrive before this answer.
    await client.request('listSessions', { channel: ROOT_URI, limit: 1 });
    if (options.json === true) {
      const { steering } = queue;
      screen.json({
        type: 'queue',
        session: resource,
        chat: mirror.uri,
        queued: queue.messages,
        ...defined({ steering }),
        ...(started.length === 0 ? {} : { started: started.map(({ turnId }) => turnId) }),
      });
    } else {
      if (name === 'steer' && before !== undefined && queue.steering?.id !== before.id)
        screen.note(`replaced the earlier steering message: ${oneLine(before.message.text, 200)}`);
      show(screen, queue, started, name === 'steer' ? 'the agent has taken it' : 'the queue is empty');
      if (queue.messages.length > 0 && mirror.state.activeTurn === undefined)
        screen.note(
          `no turn is running: \`${commandLine(`queue go ${shortId(resource)}${chat === session.chat ? '' : ` --chat ${shortId(mirror.uri)}`}`)}\` starts the first message`,
        );
    }
    if (chat !== session.chat) chat.dispose();
    session.dispose();
    return EXIT.done;
  });
}

function show(
  screen: Screen,
  { messages, steering }: MessageQueue,
  started: readonly StartedTurn[],
  ifEmpty: string,
): void {
  const line = (place: string, { id, message }: PendingMessage): void =>
    screen.line(`${place.padEnd(5)}  ${oneLine(id).slice(0, 8).padEnd(8)}  ${oneLine(message.text, 200)}`);
  if (steering !== undefined || messages.length > 0) screen.columnNames('PLACE  ID        MESSAGE');
  if (steering !== undefined) line('steer', steering);
  for (const [index, message] of messages.entries()) line(String(index + 1), message);
  for (const { message } of started) screen.note(`started at once: ${oneLine(message.text, 200)}`);
  if (steering === undefined && messages.length === 0 && started.length === 0) screen.note(ifEmpty);
}

function check(answer: DispatchOutcome): void {
  if (answer.outcome === 'accepted') return;
  if (answer.outcome === 'rejected') {
    const cause = new DispatchRejected(answer);
    throw new CliError(EXIT.error, oneLine(rejectionSentence(answer), 1_000), { cause });
  }
  throw new CliError(EXIT.error, 'the host did not confirm the change; `queue list` shows the queue');
}

/** Does something with the messages that wait, by the words behind the session; `undefined`: nothing. */
type Change = (
  queue: MessageQueue,
  words: readonly string[],
  from: ChangeSource,
) => Promise<DispatchOutcome | undefined>;

/** Where a change is made. */
interface ChangeSource {
  readonly stdin: Context['stdin'];
  /** Whether the chat has a turn that is not over. */
  readonly isRunning: boolean;
}

/** The commands below `queue`. */
export const CHANGES = {
  list: () => Promise.resolve(undefined),
  add: async (queue, words, { stdin }) => queue.add(await promptText(words, stdin)),
  steer: async (queue, words, { stdin, isRunning }) => {
    const [place = '', ...more] = words;
    if (more.length > 0 || !/^[1-9]\d{0,4}$/.test(place)) {
      const text = await promptText(words, stdin);
      // Without a running turn, a steering message would wait for a turn of somebody else.
      return isRunning ? queue.steer(text) : queue.add(text);
    }
    if (!isRunning) throw new CliError(EXIT.error, 'no turn is running that could be steered');
    return steerWaiting(queue, messageAt(queue, place));
  },
  edit: async (queue, [which = '', ...words], { stdin }) => {
    const id = pendingId(queue, which);
    return queue.edit(id, await promptText(words, stdin));
  },
  rm: (queue, [which = '']) => queue.remove(pendingId(queue, which)),
  order: (queue, which) => queue.reorder(which.map((each) => pendingId(queue, each))),
  go: (queue) => queue.release(),
} satisfies Readonly<Record<string, Change>>;

/** The id of the waiting message that was meant: its place in the queue from 1, its id, or the beginning of one. */
function pendingId({ messages, steering }: MessageQueue, given: string): string {
  const place = /^[1-9]\d{0,4}$/.test(given) ? messages[Number(given) - 1] : undefined;
  const all = [...messages, ...(steering === undefined ? [] : [steering])];
  const [match, ...others] = [
    ...(place === undefined ? [] : [place]),
    ...all.filter(({ id }) => id === given),
    ...all.filter(({ id }) => given !== '' && id !== given && id.startsWith(given) && id !== place?.id),
  ];
  if (match === undefined) throw noneWaits(given);
  if (others.length > 0 && place === undefined && match.id !== given)
    throw usageError(`several queued messages begin with ${oneLine(given)}`);
  return match.id;
}

/** The queued message at a place, from 1. */
function messageAt({ messages }: MessageQueue, place: string): PendingMessage {
  const message = messages[Number(place) - 1];
  if (message === undefined) throw noneWaits(place);
  return message;
}

const noneWaits = (given: string): CliError =>
  new CliError(EXIT.error, `no queued message ${oneLine(given) || '(nothing)'}; \`queue list\` lists them`);
