import type { TextPosition, TextRange } from '@agenthost/protocol';

/** A range of a text in UTF-16 code units; `end` is behind the last one. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The range of lines and characters of a span. */
export const rangeOf = (text: string, { start, end }: Span): TextRange => ({
  start: positionAt(text, start),
  end: positionAt(text, end),
});

/** The span of a range; `undefined` when the text has no such place. */
export function offsetsOf(text: string, { start, end }: TextRange): Span | undefined {
  const [from, to] = [offsetAt(text, start), offsetAt(text, end)];
  return from === undefined || to === undefined || to < from ? undefined : { start: from, end: to };
}

function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length - 1, character: offset - lineStart };
}

function offsetAt(text: string, { line, character }: TextPosition): number | undefined {
  const lines = text.split('\n');
  const found = lines[line];
  if (found === undefined || character > found.length) return undefined;
  return lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + character;
}
