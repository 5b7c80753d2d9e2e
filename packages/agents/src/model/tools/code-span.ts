/** Longest text that is shown, in UTF-16 code units. People see the whole input of a call beside it. */
const MAX_LENGTH = 300;

/**
 * A text of a model as Markdown code, on one line. Backticks in it cannot end the code, so that a command does not look like another one.
 */
export function codeSpan(text: string): string {
  const line = text.trim().replaceAll(/\s*[\r\n\u2028\u2029]+\s*/g, ' ⏎ ');
  const shown =
    line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${shown}${space}${fence}`;
}
