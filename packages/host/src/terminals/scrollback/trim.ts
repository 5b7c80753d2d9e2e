import { outputOf, type TerminalContentPart } from '@agenthost/protocol';
import { cutAt } from './cut.ts';

/** Trimming begins at this multiple of the limit, so that its cost spreads over much output. */
const SLACK = 1.25;

/**
 * The start of every head: a reset of attributes in a spelling that programs do not use. It has no effect on an empty terminal, and
 * distinguishes the head from output after a restart of the host.
 */
export const HEAD_MARK = '\x1b[0;0m';

/** Added to the size of each command, so that the number of empty commands is bounded too. */
const PART_UNITS = 64;

/** The text of all parts, with the head. */
export const textOfAll = (content: readonly TerminalContentPart[]): string => content.map(outputOf).join('');

const unitsOf = (part: TerminalContentPart): number =>
  part.type === 'command' ? part.output.length + part.commandLine.length + PART_UNITS : part.value.length;

/** Heads that this module made. To compare the text of a head that has just grown would copy it. */
const knownHeads = new WeakSet<TerminalContentPart>();

/**
 * The text of the first part, if that replaces trimmed text; else `undefined`. A part that output is still appended to is never the
 * head.
 */
export function headOf(content: readonly TerminalContentPart[]): string | undefined {
  const first = content[0];
  if (content.length < 2 || first?.type !== 'unclassified') return undefined;
  return knownHeads.has(first) || first.value.startsWith(HEAD_MARK) ? first.value : undefined;
}

/** The content with another head. Removes an empty head. */
export function withHead(content: readonly TerminalContentPart[], head: string): TerminalContentPart[] {
  const rest = headOf(content) === undefined ? content.slice() : content.slice(1);
  if (head === '' || head === HEAD_MARK) return rest;
  // Without a part behind it, output would be appended to the head.
  if (rest.length === 0) rest.push({ type: 'unclassified', value: '' });
  const part: TerminalContentPart = { type: 'unclassified', value: head };
  knownHeads.add(part);
  rest.unshift(part);
  return rest;
}

/** The parts that stay, and the removed text. */
export interface Trimmed {
  readonly kept: TerminalContentPart[];
  readonly dropped: string;
}

/**
 * Bounds parts without the head [TERM-4]: removes whole parts, oldest first but never the last, then cuts the beginning of the oldest part
 * that is left, at a line start or, in a line longer than the bound, at a character. A cut command keeps its other fields. Returns
 * `undefined` when the parts are within the limit and its slack.
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
 * Bounds content: moves the removed text into the head, one unclassified part at the front that the bound does not count. The joined text
 * of all parts stays the same, apart from the mark. Returns the same array when it is short enough.
 */
export function trimContent(content: TerminalContentPart[], limit: number): TerminalContentPart[] {
  const head = headOf(content);
  const trimmed = trimParts(head === undefined ? content : content.slice(1), limit);
  if (trimmed === undefined) return content;
  return withHead(trimmed.kept, (head ?? HEAD_MARK) + trimmed.dropped);
}
