import { CodeText } from '../code/code-lines.tsx';
import { type CodeLine, TOKEN_CLASSES } from '../code/code-messages.ts';
import type { DiffLine, MarkedRange } from './diff-model.ts';

/** A line of a diff in its colours, with its changed words marked. */
export function MarkedText({
  line,
  tokens,
  markClass = line.kind === 'added' ? 'bg-ok/25 rounded-xs' : 'bg-danger/25 rounded-xs',
}: {
  readonly line: DiffLine;
  readonly tokens: CodeLine | undefined;
  /** Classes of marked ranges. Default: by the kind of the line. */
  readonly markClass?: string;
}) {
  const { marks } = line;
  if (marks === undefined || marks.length === 0) return <CodeText line={line.text} tokens={tokens} />;
  const own: CodeLine =
    tokens?.map(([content]) => content).join('') === line.text ? tokens : [[line.text, 0]];
  return pieces(own, marks).map(({ text, color, isMarked }, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- pieces of a line have no identity
    <span
      key={index}
      className={[TOKEN_CLASSES[color], isMarked ? markClass : undefined].filter(Boolean).join(' ')}
    >
      {text}
    </span>
  ));
}

interface Piece {
  readonly text: string;
  readonly color: number;
  readonly isMarked: boolean;
}

/** Cuts coloured tokens at the edges of marked ranges. */
function pieces(tokens: CodeLine, marks: readonly MarkedRange[]): Piece[] {
  const cut: Piece[] = [];
  let start = 0;
  for (const [content, color] of tokens) {
    let at = start;
    const end = start + content.length;
    while (at < end) {
      const position = at;
      const inside = marks.find((mark) => mark.start <= position && position < mark.end);
      const next =
        inside?.end ?? Math.min(...marks.map((mark) => (mark.start > position ? mark.start : end)), end);
      const to = Math.min(next, end);
      cut.push({ text: content.slice(at - start, to - start), color, isMarked: inside !== undefined });
      at = to;
    }
    start = end;
  }
  return cut;
}
