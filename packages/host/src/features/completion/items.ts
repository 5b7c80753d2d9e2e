import { posix } from 'node:path';
import type { CompletionItem, MessageAttachment, TextRange } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { AgentCommand } from '../../agents/provider.ts';
import { beginningOf } from '../../lib/beginning-of.ts';
import type { FoundFile } from '../../workspace/completion/file-finder.ts';
import type { CompletionWord } from '../../workspace/completion/word.ts';
import { contentTypeOf } from '../../workspace/content-types.ts';
import { fileUriOf } from '../../workspace/file-uri.ts';
import type { EarlierTurn } from './earlier-turns.ts';

/** The text and the range of the word in it that a completion replaces. */
export interface CompletionPlace {
  readonly text: string;
  readonly word: CompletionWord;
}

/** Maximum characters of an earlier turn's message in a label. */
const MAX_LABEL = 80;

/** A file or folder below `folder` (absolute). */
export function fileItem(
  place: CompletionPlace,
  folder: string,
  { path, isFolder }: FoundFile,
): CompletionItem {
  const name = isFolder ? path.slice(0, -1) : path;
  const contentType = isFolder ? undefined : contentTypeOf(name, true);
  const kind = contentType?.startsWith('image/') === true ? 'image' : 'document';
  return item(place, `@${quoted(path)}`, {
    type: 'resource',
    uri: fileUriOf(posix.join(folder, name)),
    label: posix.basename(name),
    displayKind: isFolder ? 'directory' : kind,
    // The content of files without a known extension was not checked.
    ...(contentType === undefined || contentType === 'text/plain' ? {} : { contentType }),
    _meta: { 'agenthost.path': path },
  });
}

/** A resource of an MCP server. */
export interface ResourceFound {
  /** By which the host reads it. */
  readonly uri: string;
  readonly name: string;
  readonly contentType?: string;
}

/** A resource of an MCP server, which the host reads when the message is sent. */
export function resourceItem(
  place: CompletionPlace,
  { uri, name, contentType }: ResourceFound,
): CompletionItem {
  return item(place, `@${quoted(name)}`, {
    type: 'resource',
    uri,
    label: name,
    displayKind: contentType?.startsWith('image/') === true ? 'image' : 'document',
    ...defined({ contentType }),
  });
}

/**
 * A command of the agent, followed by a space. The message contains its name, so the attachment adds nothing
 * for the model.
 */
export function commandItem(
  place: CompletionPlace,
  { name, description, hint }: AgentCommand,
): CompletionItem {
  const gap = place.text.startsWith(' ', place.word.end) ? '' : ' ';
  return item(place, `/${name}${gap}`, {
    type: 'simple',
    label: hint === undefined ? description : `${description} [${hint}]`,
    displayKind: 'command',
    modelRepresentation: '',
    _meta: { 'agenthost.command': { name, description, ...defined({ hint }) } },
  });
}

/** An earlier turn of a chat, with its text. */
export function turnItem(
  place: CompletionPlace,
  chat: string,
  turn: EarlierTurn,
  content: string,
): CompletionItem {
  const line = turn.text.trim().replace(/\s+/gu, ' ');
  return item(place, `#${turn.number}`, {
    type: 'simple',
    label: line.length > MAX_LABEL ? `${beginningOf(line, MAX_LABEL - 1)}…` : line,
    displayKind: 'turn',
    modelRepresentation: content,
    _meta: { 'agenthost.turn': { chat, turnId: turn.id } },
  });
}

function item(
  { text, word }: CompletionPlace,
  insertText: string,
  attachment: MessageAttachment,
): CompletionItem {
  const { start, end } = word;
  const range = rangeIn(text, start, insertText.trimEnd().length);
  return { insertText, rangeStart: start, rangeEnd: end, attachment: { ...attachment, range } };
}

/** Inserted text contains no line breaks. */
function rangeIn(text: string, start: number, length: number): TextRange {
  let line = 0;
  let lineStart = 0;
  for (let next = text.indexOf('\n'); next >= 0 && next < start; next = text.indexOf('\n', next + 1)) {
    line += 1;
    lineStart = next + 1;
  }
  const character = start - lineStart;
  return { start: { line, character }, end: { line, character: character + length } };
}

/** A path for a message. Quoted and escaped if it would not be a single word. */
function quoted(path: string): string {
  if (!/[\s"'`\\(),;\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path)) return path;
  const escaped = JSON.stringify(path);
  return escaped.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
