import { isAbsolute, relative, resolve } from 'node:path';
import {
  type Annotation,
  type AnnotationEntry,
  type AnnotationsAction,
  annotationsUri,
  cutText,
  findById,
  textOf,
  WireError,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { Ids } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import { quotedFrom } from '../../turns/contents/attached-annotations.ts';
import type { TurnParts } from '../../turns/parts.ts';
import type { HostToolAnswer, RunnableTool, ToolCaller } from '../../turns/tools/host-tools.ts';
import { fileUriOf, pathOfFileUri } from '../../workspace/file-uri.ts';
import { BadInput, linesIn, linesOf, rangeOf, stringIn, textIn } from './comment-input.ts';
import { COMMENT_TOOLS } from './comment-tool-definitions.ts';
import { type AnnotationParts, planAction } from './module.ts';

/** Longest list of comments for an agent, in UTF-16 code units. Further ones are counted. */
const MAX_LIST_LENGTH = 128 * 1024;

/** Dependencies of the tools for comments. */
export interface CommentToolParts extends AnnotationParts {
  readonly ids: Ids;
  readonly agents: AgentRegistry;
  readonly workingDirectoryOf: TurnParts['workingDirectoryOf'];
}

type Input = Readonly<Record<string, unknown>>;
type Annotations = Channel<'annotations'>;

/** The comments of a session, as its agent reads and changes them. */
interface Desk {
  readonly channel: Annotations;
  readonly caller: ToolCaller;
  /** Absolute path of the working directory of the agent. */
  readonly folder: string;
  readonly author: NonNullable<AnnotationEntry['x-by']>;
}

/** The tools by which agents read, write, answer and resolve comments [ANN-1] [ANN-20]. Agents have the rights and limits of clients. */
export function commentTools(parts: CommentToolParts): readonly RunnableTool[] {
  const runs = { list_comments: list, comment, reply_to_comment: reply, resolve_comment: resolveComment };
  return COMMENT_TOOLS.map((definition) => ({
    definition,
    run: (input, caller) => atDesk(parts, caller, (desk) => runs[definition.name](parts, desk, input)),
  }));
}

async function atDesk(
  parts: CommentToolParts,
  caller: ToolCaller,
  work: (desk: Desk) => Promise<HostToolAnswer>,
): Promise<HostToolAnswer> {
  const { registry } = parts.sync;
  const session = await registry.openOf('session', caller.session);
  const chat = await registry.openOf('chat', caller.chat);
  const channel = await registry.openOf('annotations', annotationsUri(caller.session));
  if (session === undefined || chat === undefined || channel === undefined)
    return { problem: 'The session is gone' };
  const release = channel.pin();
  try {
    const folder = await parts.workingDirectoryOf(session, chat);
    const { provider } = session.state;
    const { displayName: name } = parts.agents.get(provider).describe();
    return await work({ channel, caller, folder, author: { provider, name } });
  } catch (error) {
    if (error instanceof BadInput) return { problem: error.message };
    throw error;
  } finally {
    release();
  }
}

async function list({ sync, readLines }: CommentToolParts, desk: Desk): Promise<HostToolAnswer> {
  const open = desk.channel.state.annotations.filter(({ resolved }) => !resolved);
  const files = new Map<string, Awaited<ReturnType<typeof readLines>>>();
  const shown: string[] = [];
  let length = 0;
  for (const annotation of open) {
    const { resource, range } = annotation;
    const lines = range === undefined ? 'missing' : (files.get(resource) ?? (await readLines(resource)));
    if (range !== undefined) files.set(resource, lines);
    await sync.path.nextTurn();
    const quoted = quotedFrom(desk.channel, annotation, typeof lines === 'string' ? undefined : lines);
    const each = JSON.stringify({
      id: annotation.id,
      file: nameOf(resource, desk.folder),
      ...defined({ lines: quoted.range && linesOf(quoted.range), quote: quoted.quote }),
      comments: annotation.entries.map(({ text, 'x-by': by }) => ({
        by: by?.name ?? 'client',
        text: textOf(text),
      })),
      ...(quoted.range === undefined && range !== undefined ? { outdated: true } : {}),
    });
    length += each.length;
    if (length > MAX_LIST_LENGTH && shown.length > 0) break;
    shown.push(each);
  }
  const left = open.length - shown.length;
  const rest = left === 0 ? '' : `\n${left} more open comments do not fit into this answer.`;
  const text = shown.length === 0 ? 'There are no open comments.' : `${shown.join('\n')}${rest}`;
  return { text, done: `Listed ${counted(shown.length)}` };
}

async function comment(parts: CommentToolParts, desk: Desk, input: Input): Promise<HostToolAnswer> {
  const text = textIn(input);
  const resource = uriOf(stringIn(input, 'file'), desk.folder);
  const lines = linesIn(input);
  const file = nameOf(resource, desk.folder);
  const read = await parts.readLines(resource);
  if (read === 'missing') return { problem: `file: ${file} does not exist` };
  if (read === 'unreadable')
    return { problem: `file: ${file} is no text, too large, or outside of the working directories` };
  const { length: count } = read.lines;
  if (lines !== undefined && lines.last > count)
    return { problem: `${file} has ${count} lines, so there is no line ${lines.last}` };
  const id = parts.ids.next();
  const annotation: Annotation = {
    id,
    origin: { session: desk.caller.session, chat: desk.caller.chat },
    resource,
    ...defined({ range: lines && rangeOf(lines) }),
    resolved: false,
    entries: [entryOf(parts, desk, text)],
  };
  await act(parts, desk, { type: 'annotations/set', annotation });
  const place = lines === undefined ? file : `${file}:${lines.first}`;
  return { text: `Comment ${id} is at ${place}.`, done: `Commented on ${cutText(place, 500)}` };
}

async function reply(parts: CommentToolParts, desk: Desk, input: Input): Promise<HostToolAnswer> {
  const text = textIn(input);
  const { id, resource } = found(desk, input);
  await act(parts, desk, {
    type: 'annotations/entrySet',
    annotationId: id,
    entry: entryOf(parts, desk, text),
  });
  return { text: `Answered comment ${id}.`, done: `Answered a comment on ${shortName(resource, desk)}` };
}

async function resolveComment(parts: CommentToolParts, desk: Desk, input: Input): Promise<HostToolAnswer> {
  const { id, resource, resolved } = found(desk, input);
  if (input['text'] !== undefined) await reply(parts, desk, input);
  if (!resolved) await act(parts, desk, { type: 'annotations/updated', annotationId: id, resolved: true });
  return { text: `Comment ${id} is resolved.`, done: `Resolved a comment on ${shortName(resource, desk)}` };
}

/** The comment that the input names. Throws `BadInput`. */
function found({ channel }: Desk, input: Input): Annotation {
  const id = stringIn(input, 'id');
  const annotation = findById(channel.state.annotations, id);
  if (annotation !== undefined) return annotation;
  throw new BadInput(
    `id: there is no comment ${JSON.stringify(id.slice(0, 100))}; list_comments lists the open ones`,
  );
}

const entryOf = ({ ids }: CommentToolParts, { author }: Desk, markdown: string): AnnotationEntry => ({
  id: ids.next(),
  text: { markdown },
  'x-by': author,
});

/** Applies an action by the rules for clients. Resolves when it is durable. Throws `BadInput` with the reason if it is rejected. */
async function act(parts: CommentToolParts, { channel }: Desk, action: AnnotationsAction): Promise<void> {
  let planned = planAction(parts, channel, action);
  while (planned instanceof Promise) {
    const next = await planned;
    planned = next();
  }
  if ('code' in planned) throw new BadInput(planned.reason);
  const plan = planned;
  if (!channel.isAlive) throw new BadInput('The session is gone');
  await parts.sync.commit('client', (tx) => {
    plan.before?.(tx);
    tx.emit(channel, typeof plan.action === 'function' ? plan.action(tx) : plan.action);
    plan.after?.(tx);
  });
}

/** The URI of a file that an agent names by a path, relative to its working directory, or by a URI. Throws `BadInput`. */
function uriOf(file: string, folder: string): string {
  if (file.trim() === '' || /[\0\p{Cs}]/u.test(file)) throw new BadInput('file: expected a path');
  try {
    const path = /^file:/i.test(file) ? pathOfFileUri(file) : resolve(folder, file);
    const uri = fileUriOf(path);
    // A path that is too long, for example.
    pathOfFileUri(uri);
    return uri;
  } catch (error) {
    if (error instanceof WireError) throw new BadInput(`file: ${error.message}`);
    throw error;
  }
}

/** The path of a file in the working directory; other files have their absolute path or their URI. */
function nameOf(uri: string, folder: string): string {
  try {
    const path = pathOfFileUri(uri);
    const inside = relative(folder, path);
    return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
  } catch {
    // Clients may annotate resources of other schemes.
    return uri;
  }
}

const shortName = (uri: string, { folder }: Desk): string => cutText(nameOf(uri, folder), 500);

const counted = (count: number): string => (count === 1 ? '1 open comment' : `${count} open comments`);
