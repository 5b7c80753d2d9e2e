import { outputOf, type TerminalContentPart } from '@agenthost/protocol';
import { cutAt } from './cut.ts';

/** UTF-16 units of output that a terminal keeps as parts [TERM-4]. */
export const CONTENT_LIMIT = 1024 * 1024;

/** Trimming begins this far past the limit, so that its cost spreads over what came in between. */
const SLACK = 1.5;

/**
 * What the head begins with: a reset of attributes that nobody else spells like this. It changes nothing at the start of a
 * terminal, and tells the head from output after the host started again.
 */
export const HEAD_MARK = '\x1b[0;0m';

/** What a part costs on top of its output, so that endless empty commands are bounded too. */
const PART_UNITS = 64;

/** All output, the head included. */
export const textOfAll = (content: readonly TerminalContentPart[]): string => content.map(outputOf).join('');

const unitsOf = (part: TerminalContentPart): number =>
  part.type === 'command' ? part.output.length + part.commandLine.length + PART_UNITS : part.value.length;

/** Heads that were made here: looking at the text of one that has just grown would copy all of it. */
const knownHeads = new WeakSet<TerminalContentPart>();

/**
 * The text of the part at the front that stands for what was trimmed, or `undefined` when nothing was. A part that output is
 * still appended to is never the head.
 */
export function headOf(content: readonly TerminalContentPart[]): string | undefined {
  const first = content[0];
  if (content.length < 2 || first?.type !== 'unclassified') return undefined;
  return knownHeads.has(first) || first.value.startsWith(HEAD_MARK) ? first.value : undefined;
}

/** The same content with another head; an empty one goes. */
export function withHead(content: readonly TerminalContentPart[], head: string): TerminalContentPart[] {
  const rest = headOf(content) === undefined ? content.slice() : content.slice(1);
  if (head === '' || head === HEAD_MARK) return rest;
  // With nothing behind it, output would be appended to the head itself.
  if (rest.length === 0) rest.push({ type: 'unclassified', value: '' });
  const part: TerminalContentPart = { type: 'unclassified', value: head };
  knownHeads.add(part);
  rest.unshift(part);
  return rest;
}

/** Text cut in two, each as pieces in order. */
export interface TailCut {
  readonly dropped: readonly string[];
  readonly rest: readonly string[];
}

/** What is kept, and the text that went, in pieces, oldest first. */
export interface Trimmed {
  readonly kept: TerminalContentPart[];
  readonly dropped: readonly string[];
  /** What was cut off, and is known to be plain text, when that is all of `dropped`. */
  readonly isPlain: boolean;
  /** The text of the last part, in pieces, when that was cut. */
  readonly tail: readonly string[] | undefined;
}

/**
 * Bounds content without its head: drops whole parts, oldest first but never the tail, then cuts the head of the oldest that
 * is left, the tail included, at a line start, or at a character where a line is longer than the bound [TERM-4]. A command
 * that was cut keeps all but that output. `cutTail` may know how to cut the last part without looking into its text: only at
 * a line start, and only plain text. `undefined` when within the bound and its slack.
 */
export function trimParts(
  parts: readonly TerminalContentPart[],
  limit: number,
  cutTail: (tail: TerminalContentPart, from: number) => TailCut | undefined = () => undefined,
): Trimmed | undefined {
  let units = 0;
  for (const part of parts) units += unitsOf(part);
  if (units <= limit * SLACK) return undefined;
  let excess = units - limit;
  let count = 0;
  for (const part of parts.slice(0, -1)) {
    const size = unitsOf(part);
    if (size > excess) break;
    excess -= size;
    count++;
  }
  const dropped = parts.slice(0, count).map(outputOf);
  const kept = parts.slice(count);
  const oldest = kept[0];
  if (oldest === undefined || excess <= 0) return { kept, dropped, isPlain: false, tail: undefined };
  const quick = kept.length > 1 ? undefined : cutTail(oldest, excess);
  const { dropped: front, rest } = quick ?? cut(outputOf(oldest), excess);
  const text = rest.reduce((all, piece) => all + piece, '');
  kept[0] = oldest.type === 'command' ? { ...oldest, output: text } : { ...oldest, value: text };
  return {
    kept,
    dropped: [...dropped, ...front],
    isPlain: quick !== undefined && count === 0,
    tail: kept.length > 1 ? undefined : rest,
  };
}

function cut(text: string, from: number): TailCut {
  const at = cutAt(text, Math.min(from, text.length));
  return { dropped: [text.slice(0, at)], rest: [text.slice(at)] };
}

/**
 * Content within the bound: what goes moves as text into the head, one unclassified part at the front that the bound does not
 * count. The text of all parts together stays the same but for the mark. The same array when there is nothing to do.
 */
export function trimContent(content: TerminalContentPart[], limit: number): TerminalContentPart[] {
  const head = headOf(content);
  const trimmed = trimParts(head === undefined ? content : content.slice(1), limit);
  if (trimmed === undefined) return content;
  return withHead(trimmed.kept, (head ?? HEAD_MARK) + trimmed.dropped.join(''));
}
