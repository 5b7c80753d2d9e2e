import type { TerminalContentPart, TerminalState } from '@agenthost/protocol';

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
  content.map((part) => (part.type === 'command' ? part.output : part.value)).join('');

/** Where the content of this state stands. */
export function contentPlace({ content, 'x-trimmed': trimmed }: TerminalState): ContentPlace {
  const screen = trimmed?.isFolded === true ? content.slice(0, 1) : [];
  return { start: trimmed?.units ?? 0, screenLength: contentText(screen).length };
}
