import type { TerminalContentPart, TrimmedOutput } from './state.ts';

/** What of a terminal's state tells its output. */
interface Shown {
  readonly content: readonly TerminalContentPart[];
  readonly 'x-trimmed'?: TrimmedOutput;
}

/** The output of a part, with escape sequences. */
export const outputOf = (part: TerminalContentPart): string =>
  part.type === 'command' ? part.output : part.value;

/** The parts of a terminal's content that are output of their own: all but the screen that is folded at its front [TERM-4]. */
export const outputParts = ({ content, 'x-trimmed': trimmed }: Shown): TerminalContentPart[] =>
  content.slice(trimmed?.isFolded === true ? 1 : 0);

/** UTF-16 units of output that a terminal's content holds, without that screen. */
export const outputLength = (state: Shown): number =>
  outputParts(state).reduce((length, part) => length + outputOf(part).length, 0);
