import type { TerminalState } from './state.ts';

/** UTF-16 units of output that a terminal's content holds, without the screen that is folded at its front [TERM-4]. */
export function outputLength({
  content,
  'x-trimmed': trimmed,
}: Pick<TerminalState, 'content' | 'x-trimmed'>): number {
  let length = 0;
  for (const part of content) length += (part.type === 'command' ? part.output : part.value).length;
  const [screen] = content;
  const isFolded = trimmed?.isFolded === true && screen?.type === 'unclassified';
  return isFolded ? length - screen.value.length : length;
}
