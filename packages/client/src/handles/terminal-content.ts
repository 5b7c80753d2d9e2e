import { outputOf, outputParts, type TerminalContentPart, type TerminalState } from '@agenthost/protocol';

/** Position of a terminal's content within all of its output, in UTF-16 code units. */
export interface ContentPlace {
  /**
   * Units of output before the content. They are not in it, except for the screen that they left. Output that
   * a host trims without telling is not counted.
   */
  readonly start: number;
  /** Units at the front of the content that describe that screen [TERM-4]. Output follows. */
  readonly screenLength: number;
}

/** All output of a terminal's content as one stream for a terminal emulator. */
export const contentText = (content: readonly TerminalContentPart[]): string =>
  content.map(outputOf).join('');

/** Position of the content of this state. */
export function contentPlace(state: TerminalState): ContentPlace {
  const screen = state.content.slice(0, state.content.length - outputParts(state).length);
  return { start: state['x-trimmed']?.units ?? 0, screenLength: contentText(screen).length };
}
