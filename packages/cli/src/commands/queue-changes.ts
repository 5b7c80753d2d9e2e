import type { DispatchOutcome, MessageQueue } from '@agenthost/client';
import type { PendingMessage } from '@agenthost/protocol';
import { promptText } from '../input/prompt-text.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import { steerWaiting } from './steer-waiting.ts';

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

/** What each command below `queue` does. */
export const CHANGES = {
  list: () => Promise.resolve(undefined),
  add: async (queue, words, { stdin }) => queue.add(await promptText(words, stdin)),
  steer: async (queue, words, { stdin, isRunning }) => {
    const [place = '', ...more] = words;
    if (more.length > 0 || !/^[1-9]\d{0,4}$/.test(place)) {
      const text = await promptText(words, stdin);
      // There is no turn to steer, and as a steering message it would wait for one that somebody else starts.
      return isRunning ? queue.steer(text) : queue.add(text);
    }
    if (!isRunning) throw new CliError(EXIT.error, 'no turn runs that could be steered');
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
    throw usageError(`several messages begin with ${oneLine(given)}`);
  return match.id;
}

/** The queued message at a place, from 1. */
function messageAt({ messages }: MessageQueue, place: string): PendingMessage {
  const message = messages[Number(place) - 1];
  if (message === undefined) throw noneWaits(place);
  return message;
}

const noneWaits = (given: string): CliError =>
  new CliError(
    EXIT.error,
    `no message ${oneLine(given) || '(nothing)'} waits; \`queue list\` shows what does`,
  );
