import { TEXT_LIMITS, type TextRange } from '@agenthost/protocol';

type Input = Readonly<Record<string, unknown>>;

/** Input that a tool for comments does not take; the message is for the agent. */
export class BadInput extends Error {}

/** The text of a comment. Throws `BadInput`. */
export function textIn(input: Input): string {
  const text = stringIn(input, 'text');
  const { max } = TEXT_LIMITS.sentence;
  if (text.trim() === '') throw new BadInput('text: expected the text of the comment, got an empty one');
  if (text.length > max) throw new BadInput(`text: expected at most ${max} characters, got ${text.length}`);
  // SQLite stores a lone surrogate as another character.
  if (/\p{Cs}/u.test(text)) throw new BadInput('text: it is no well-formed Unicode');
  return text;
}

/** A member that is a text. Throws `BadInput`. */
export function stringIn(input: Input, key: string): string {
  const value = input[key];
  if (typeof value !== 'string') throw new BadInput(`${key}: expected a text, got ${kindOf(value)}`);
  return value;
}

/** Whole lines, counted from 1. `undefined`: the whole file. Throws `BadInput`. */
export function linesIn(input: Input): { readonly first: number; readonly last: number } | undefined {
  const [first, last] = [numberIn(input, 'first_line'), numberIn(input, 'last_line')];
  if (first === undefined && last === undefined) return undefined;
  if (first === undefined) throw new BadInput('first_line: expected a number beside last_line');
  if (last !== undefined && last < first)
    throw new BadInput(`last_line: expected at least first_line, ${first}, got ${last}`);
  return { first, last: last ?? first };
}

function numberIn(input: Input, key: string): number | undefined {
  const value = input[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw new BadInput(`${key}: expected a line number from 1, got ${JSON.stringify(value)?.slice(0, 100)}`);
}

const kindOf = (value: unknown): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100);

/** The range of whole lines. Its end is the start of the line behind them. */
export const rangeOf = ({ first, last }: { readonly first: number; readonly last: number }): TextRange => ({
  start: { line: first - 1, character: 0 },
  end: { line: last, character: 0 },
});

/** The lines of a range, counted from 1. An end at the start of a line does not include that line. */
export const linesOf = ({ start, end }: TextRange): { readonly first: number; readonly last: number } => ({
  first: start.line + 1,
  last: Math.max(start.line, end.character === 0 ? end.line - 1 : end.line) + 1,
});
