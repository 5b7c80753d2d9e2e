import { memo } from 'react';
import { type CodeLine, TOKEN_CLASSES } from './code-messages.ts';

/** A line of code in its colours; plain while it is not highlighted, or when its highlighting is of an earlier version. */
export const CodeText = memo(function CodeText({
  line,
  tokens,
}: {
  readonly line: string;
  readonly tokens: CodeLine | undefined;
}) {
  if (tokens === undefined || !matches(tokens, line)) return line;
  return tokens.map(([content, color], index) => {
    const className = TOKEN_CLASSES[color];
    return className === undefined ? (
      content
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- tokens of a line have no identity
      <span key={index} className={className}>
        {content}
      </span>
    );
  });
});

function matches(tokens: CodeLine, line: string): boolean {
  let at = 0;
  for (const [content] of tokens) {
    if (!line.startsWith(content, at)) return false;
    at += content.length;
  }
  return at === line.length;
}

/** Lines in one element, so that the browser can skip those that are out of sight. */
const GROUP_LINES = 100;
const LINE_HEIGHT_REM = 1.25;

interface CodeLinesProps {
  readonly lines: readonly string[];
  readonly tokens: readonly (CodeLine | undefined)[];
  /** Index of the first shown line. */
  readonly first: number;
}

/** Lines of code in their colours. */
export function CodeLines({ lines, tokens, first }: CodeLinesProps) {
  const groups = [];
  for (let from = 0; from < lines.length; from += GROUP_LINES) groups.push(from);
  return groups.map((from) => {
    const group = lines.slice(from, from + GROUP_LINES);
    const height = `${group.length * LINE_HEIGHT_REM}rem`;
    return (
      <span
        key={from}
        className="block [content-visibility:auto]"
        style={{ containIntrinsicHeight: `auto ${height}` }}
      >
        {group.map((line, index) => (
          <span key={first + from + index}>
            <CodeText line={line} tokens={tokens[first + from + index]} />
            {'\n'}
          </span>
        ))}
      </span>
    );
  });
}
