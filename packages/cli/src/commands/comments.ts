import {
  type AhpClient,
  type AnnotationsHandle,
  type DispatchOutcome,
  DispatchRejected,
  randomId,
} from '@agenthost/client';
import { type Annotation, authorName, ROOT_URI, textOf, type URI } from '@agenthost/protocol';
import { withHost } from '../host-link/connect.ts';
import type { Connected } from '../host-link/connect-target.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { rejectionSentence } from '../host-link/host-errors.ts';
import { commentPlace, placeText } from '../input/comment-place.ts';
import { findChat, findSession, shortId } from '../input/ids.ts';
import { promptText } from '../input/prompt.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `comment` and most of what is below it, as parsed. */
export interface CommentOptions extends HostOptions {
  readonly json?: boolean;
}

/** Options of `comments` as parsed. */
export interface CommentsOptions extends CommentOptions {
  readonly open?: boolean;
}

/** Options of `comment send` as parsed. */
export interface SendOptions extends CommentOptions {
  readonly text?: string;
  readonly chat?: string;
}

/** A change of comments: the command below `comment`, the session, and the comments. */
export interface CommentChange {
  readonly name: 'resolve' | 'reopen' | 'remove';
  readonly session: string;
  readonly ids: readonly string[];
}

const DEFAULT_TEXT = 'Please address these comments.';

/** `comments`: lists the comments of a session. */
export function listComments(
  context: Context,
  screen: Screen,
  given: string,
  options: CommentsOptions,
): Promise<ExitCode> {
  return withComments({ context, screen, options }, given, (comments, { folder, session }) => {
    const shown = options.open === true ? comments.open : comments.all;
    if (options.json === true) screen.json({ type: 'comments', session, comments: shown });
    else {
      if (shown.length > 0) screen.columnNames('ID        STATE     PLACE, COMMENT');
      for (const comment of shown) show(screen, comment, folder);
    }
    if (shown.length === 0 && options.json !== true)
      screen.note(options.open === true ? 'there are no open comments' : 'there are no comments');
    return Promise.resolve();
  });
}

/** `comment`: comments on a file. */
export async function addComment(
  context: Context,
  screen: Screen,
  { session: given, file, words }: { session: string; file: string; words: readonly string[] },
  options: CommentOptions,
): Promise<ExitCode> {
  const text = await promptText(words, context.stdin, 'comment');
  return withComments({ context, screen, options }, given, async (comments, { folder, target }) => {
    const place = await commentPlace(context, file, { isOwn: target.isOwn, folder });
    const id = randomId();
    check(await comments.add({ ...place, text: { markdown: text }, id }));
    tell(screen, options, present(comments, [id]), folder);
  });
}

/** `comment reply`: answers a comment. */
export async function replyToComment(
  context: Context,
  screen: Screen,
  { session, id, words }: { session: string; id: string; words: readonly string[] },
  options: CommentOptions,
): Promise<ExitCode> {
  const text = await promptText(words, context.stdin, 'answer');
  return withComments({ context, screen, options }, session, async (comments, { folder }) => {
    const comment = findComment(comments, id);
    check(await comments.reply(comment.id, { markdown: text }));
    tell(screen, options, present(comments, [comment.id]), folder);
  });
}

/** `comment resolve`, `reopen` and `remove`. */
export function changeComments(
  context: Context,
  screen: Screen,
  { name, session, ids }: CommentChange,
  options: CommentOptions,
): Promise<ExitCode> {
  return withComments({ context, screen, options }, session, async (comments, { folder }) => {
    // Looks up all comments first, so that a mistyped id changes nothing.
    const found = ids.map((id) => findComment(comments, id).id);
    for (const id of found) check(await comments[name](id));
    if (name !== 'remove') tell(screen, options, present(comments, found), folder);
    else if (options.json === true) screen.json({ type: 'removed', comments: found });
    else for (const id of found) screen.note(`removed comment ${shownId(id)}`);
  });
}

/** `comment send`: gives the agent comments, in a turn that starts now or after the running one. */
export function sendComments(
  context: Context,
  screen: Screen,
  { session: given, ids }: { session: string; ids: readonly string[] },
  options: SendOptions,
): Promise<ExitCode> {
  return withComments({ context, screen, options }, given, async (comments, { client, session: uri }) => {
    const chosen = ids.length === 0 ? comments.open : ids.map((id) => findComment(comments, id));
    if (chosen.length === 0) throw new CliError(EXIT.error, 'there are no open comments to send');
    const session = await client.sessions.open(uri, { turns: 0 });
    const main = session.chat;
    const chat =
      options.chat === undefined
        ? main
        : await session.openChat(findChat(session.mirror.state, options.chat, uri).resource, { turns: 0 });
    const sent = [...new Set(chosen.map(({ id }) => id))];
    const message = comments.message(options.text ?? DEFAULT_TEXT, sent);
    const before = new Set(chat.queue.messages.map(({ id }) => id));
    check(await chat.enqueue(message));
    // The start of a turn arrives before this answer.
    await client.request('listSessions', { channel: ROOT_URI, limit: 1 });
    const isWaiting = chat.queue.messages.some(({ id }) => !before.has(id));
    const what = sent.length === 1 ? '1 comment' : `${sent.length} comments`;
    if (options.json === true)
      screen.json({ type: 'sent', session: uri, chat: chat.mirror.uri, comments: sent, isWaiting });
    else
      screen.note(
        isWaiting
          ? `queued ${what}: the agent gets them after the running turn`
          : `sent ${what}: \`${commandLine(`watch ${shortId(uri)}`)}\` shows the turn`,
      );
    if (chat !== main) chat.dispose();
    session.dispose();
  });
}

/** Where a command works. */
interface Place {
  readonly client: AhpClient;
  readonly target: Connected['target'];
  readonly session: URI;
  /** `file:` URI of the first working directory of the session. */
  readonly folder: string | undefined;
}

function withComments(
  { context, screen, options }: { context: Context; screen: Screen; options: CommentOptions },
  given: string,
  use: (comments: AnnotationsHandle, place: Place) => Promise<void>,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client, target }) => {
    const { resource, workingDirectories = [] } = await findSession(client, given);
    const comments = await client.sessions.annotations(resource);
    try {
      await use(comments, { client, target, session: resource, folder: workingDirectories[0] });
    } finally {
      comments.dispose();
    }
    return EXIT.done;
  });
}

/** The comments that are still there, as they are now. */
const present = (comments: AnnotationsHandle, ids: readonly string[]): readonly Annotation[] =>
  ids.flatMap((id) => comments.find(id) ?? []);

function tell(
  screen: Screen,
  { json }: CommentOptions,
  comments: readonly Annotation[],
  folder: string | undefined,
): void {
  for (const comment of comments)
    if (json === true) screen.json({ type: 'comment', comment });
    else show(screen, comment, folder);
}

/** One line for the comment, and one for each answer. */
function show(screen: Screen, comment: Annotation, folder: string | undefined): void {
  const { id, entries } = comment;
  const [first, ...answers] = entries;
  const where = oneLine(placeText(comment, folder), 200);
  const by = first?.['x-by'];
  // A comment without a name is a person's.
  const agent = by !== undefined && 'provider' in by ? `  (by ${oneLine(by.name, 100)})` : '';
  const text = first === undefined ? '' : `${oneLine(textOf(first.text), 500)}${agent}`;
  screen.line(`${shownId(id)}  ${stateOf(comment).padEnd(8)}  ${where}  ${text}`);
  for (const { text: answer, 'x-by': author } of answers)
    screen.line(
      `          ${oneLine(author === undefined ? 'client' : authorName(author), 100)}: ${oneLine(textOf(answer), 500)}`,
    );
}

function stateOf(comment: Annotation): string {
  if (comment.resolved) return 'resolved';
  return comment['x-outdated'] === true ? 'outdated' : 'open';
}

/** Clients choose ids, so control characters are removed. */
const shownId = (id: string): string => oneLine(id).slice(0, 8).padEnd(8);

/** A comment by its id, or a unique beginning of its id. Throws a `CliError`. */
function findComment({ all }: AnnotationsHandle, given: string): Annotation {
  const exact = all.find(({ id }) => id === given);
  if (exact !== undefined) return exact;
  const [match, ...others] = given === '' ? [] : all.filter(({ id }) => id.startsWith(given));
  if (match === undefined)
    throw new CliError(
      EXIT.error,
      `no comment is called ${oneLine(given) || '(nothing)'}; \`${commandLine('comments')}\` lists them`,
    );
  if (others.length > 0) throw usageError(`${others.length + 1} comments begin with ${oneLine(given)}`);
  return match;
}

function check(answer: DispatchOutcome): void {
  if (answer.outcome === 'accepted') return;
  if (answer.outcome === 'rejected') {
    const cause = new DispatchRejected(answer);
    throw new CliError(EXIT.error, oneLine(rejectionSentence(answer), 1_000), { cause });
  }
  throw new CliError(EXIT.error, 'the host did not confirm the change; `comments` shows the comments');
}
