import { memo } from 'react';
import { messageOf } from '../../live/host-link.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { classes } from '../../ui/class-names.ts';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import { ExploredGroup } from '../cards/explored-group.tsx';
import { type RowProps, useChatScope } from '../chat-scope.tsx';
import { AnswerText } from './answer-text.tsx';
import { PartView } from './part-view.tsx';
import { type Row, sameRow } from './rows.ts';
import { TurnEnd } from './turn-end.tsx';
import { UserMessage } from './user-message.tsx';

/** One row of a transcript. */
export const RowView = memo(
  function RowView({ row, isHighlighted }: RowProps) {
    const { isNested } = useChatScope();
    return (
      <div
        data-row={row.key}
        data-turn={row.turnId}
        tabIndex={-1}
        className={classes(
          'group/row rounded-xl outline-offset-4',
          isNested ? 'w-full' : 'mx-auto w-full max-w-3xl px-3 sm:px-4',
          row.kind === 'message' && !isNested && 'pt-4',
          isHighlighted && 'ring-2 ring-accent ring-offset-4 ring-offset-surface',
        )}
      >
        <ErrorBoundary fallback={rowFailed}>
          <RowContent row={row} />
        </ErrorBoundary>
      </div>
    );
  },
  (before, after) => before.isHighlighted === after.isHighlighted && sameRow(before.row, after.row),
);

const rowFailed = (error: unknown) => (
  <p className="my-1.5 rounded-lg bg-sunken px-3 py-2 text-sm break-words text-muted">
    {text.chat.rowFailed(visibleText(messageOf(error)))}
  </p>
);

function RowContent({ row }: { readonly row: Row }) {
  switch (row.kind) {
    case 'message':
      return <UserMessage turnId={row.turnId} />;
    case 'text':
      return (
        <AnswerText turnId={row.turnId} index={row.index} chunk={row.chunk} isLastChunk={row.isLastChunk} />
      );
    case 'part':
      return <PartView turnId={row.turnId} index={row.index} />;
    case 'explored':
      return <ExploredGroup turnId={row.turnId} index={row.index} lastIndex={row.lastIndex} />;
    case 'end':
      return <TurnEnd turnId={row.turnId} />;
    default:
      return row satisfies never;
  }
}
