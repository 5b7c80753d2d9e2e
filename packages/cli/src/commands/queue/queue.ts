import { type DispatchOutcome, DispatchRejected, type MessageQueue } from '@agenthost/client';
import { type PendingMessage, ROOT_URI } from '@agenthost/protocol';
import { withHost } from '../../connect.ts';
import type { Context } from '../../context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../../exit.ts';
import type { HostOptions } from '../../find-host.ts';
import { oneLine } from '../../render/plain-text.ts';
import type { Screen } from '../../render/screen.ts';
import { findChat, findSession, shortId } from '../../session-ids.ts';

/** Options of `queue` and what is below it, as parsed. */
export interface QueueOptions extends HostOptions {
  readonly json?: boolean;
  readonly chat?: string;
}

/** Does something with the messages that wait in a chat, and shows what waits then. */
export async function changeQueue(
  { context, screen }: { readonly context: Context; readonly screen: Screen },
  given: string,
  options: QueueOptions,
  change: (queue: MessageQueue) => Promise<DispatchOutcome | undefined>,
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
    const outcome = await change(queue);
    if (outcome !== undefined) check(outcome);
    // What the host makes of it is ahead of this answer.
    await client.request('listSessions', { channel: ROOT_URI, limit: 1 });
    if (options.json === true) {
      const { steering } = queue;
      screen.json({
        type: 'queue',
        session: resource,
        chat: mirror.uri,
        queued: queue.messages,
        ...(steering === undefined ? {} : { steering }),
      });
    } else {
      show(screen, queue);
      if (queue.messages.length > 0 && mirror.state.activeTurn === undefined)
        screen.note(
          `no turn runs: \`agenthost queue go ${shortId(resource)}${chat === session.chat ? '' : ` --chat ${shortId(mirror.uri)}`}\` starts the first one`,
        );
    }
    if (chat !== session.chat) chat.dispose();
    session.dispose();
    return EXIT.done;
  });
}

/** The id of the waiting message that was meant: its place in the queue from 1, its id, or the beginning of one. */
export function pendingId({ messages, steering }: MessageQueue, given: string): string {
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
export function messageAt({ messages }: MessageQueue, place: string): PendingMessage {
  const message = messages[Number(place) - 1];
  if (message === undefined) throw noneWaits(place);
  return message;
}

const noneWaits = (given: string): CliError =>
  new CliError(
    EXIT.error,
    `no message ${oneLine(given) || '(nothing)'} waits; \`queue list\` shows what does`,
  );

function show(screen: Screen, { messages, steering }: MessageQueue): void {
  const line = (place: string, { id, message }: PendingMessage): void =>
    screen.line(`${place.padEnd(5)}  ${oneLine(id).slice(0, 8).padEnd(8)}  ${oneLine(message.text, 200)}`);
  if (steering !== undefined) line('steer', steering);
  for (const [index, message] of messages.entries()) line(String(index + 1), message);
  if (steering === undefined && messages.length === 0) screen.note('nothing waits');
}

function check(answer: DispatchOutcome): void {
  if (answer.outcome === 'accepted') return;
  if (answer.outcome === 'rejected') {
    const cause = new DispatchRejected(answer.code, answer.reason);
    throw new CliError(EXIT.error, oneLine(answer.reason, 1_000), { cause });
  }
  throw new CliError(EXIT.error, 'the host did not say what became of it; `queue list` shows what waits');
}
