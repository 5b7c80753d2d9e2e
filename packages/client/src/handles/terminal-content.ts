import { outputOf, outputParts, type TerminalContentPart, type TerminalState } from '@agenthost/protocol';

/** Where the content of a terminal stands in all of its output, in UTF-16 units. */
export interface ContentPlace {
  /**
   * So much output came before and is not in it, but for the screen that it left. What a host trims without telling does not
   * count.
   */
  readonly start: number;
  /** So much of the content is that screen, at its front [TERM-4]. Output follows. */
  readonly screenLength: number;
}

/** All output of a terminal's content as one stream for a terminal emulator. */
export const contentText = (content: readonly TerminalContentPart[]): string =>
  content.map(outputOf).join('');

/** Where the content of this state stands. */
export function contentPlace(state: TerminalState): ContentPlace {
  const screen = state.content.slice(0, state.content.length - outputParts(state).length);
  return { start: state['x-trimmed']?.units ?? 0, screenLength: contentText(screen).length };
}
