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

/** The parts that stay, and the text that went, oldest first. */
export interface Trimmed {
  readonly kept: TerminalContentPart[];
  readonly dropped: string;
}

/**
 * Bounds content without its head: drops whole parts, oldest first but never the tail, then cuts the head of the oldest that
 * is left, the tail included, at a line start, or at a character where a line is longer than the bound [TERM-4]. A command
 * that was cut keeps all but that output. `undefined` when within the bound and its slack.
 */
export function trimParts(parts: readonly TerminalContentPart[], limit: number): Trimmed | undefined {
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
  const dropped = textOfAll(parts.slice(0, count));
  const kept = parts.slice(count);
  const oldest = kept[0];
  if (oldest === undefined || excess <= 0) return { kept, dropped };
  const output = outputOf(oldest);
  const at = cutAt(output, Math.min(excess, output.length));
  const rest = output.slice(at);
  kept[0] = oldest.type === 'command' ? { ...oldest, output: rest } : { ...oldest, value: rest };
  return { kept, dropped: dropped + output.slice(0, at) };
}

/**
 * Content within the bound: what goes moves as text into the head, one unclassified part at the front that the bound does not
 * count. The text of all parts together stays the same but for the mark. The same array when there is nothing to do.
 */
export function trimContent(content: TerminalContentPart[], limit: number): TerminalContentPart[] {
  const head = headOf(content);
  const trimmed = trimParts(head === undefined ? content : content.slice(1), limit);
  if (trimmed === undefined) return content;
  return withHead(trimmed.kept, (head ?? HEAD_MARK) + trimmed.dropped);
}
