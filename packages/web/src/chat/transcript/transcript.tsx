import type { ChatHandle } from '@agenthost/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { onMessageSent } from '../../composer/message-sent.ts';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { EmptyState, Spinner } from '../../ui/states.tsx';
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx';
import { useChatScope } from '../chat-scope.tsx';
import { FindBar } from '../find/find-bar.tsx';
import { AnswerAnnouncer } from './answer-announcer.tsx';
import { JumpToLatest } from './jump-to-latest.tsx';
import { estimateRow } from './row-estimate.ts';
import { RowView } from './row-view.tsx';
import { type Row, RowProjector } from './rows.ts';
import { useLinkedRow } from './use-linked-row.ts';
import { useOlderTurns } from './use-older-turns.ts';
import { useTranscriptKeys } from './use-transcript-keys.ts';

interface TranscriptProps {
  /** Id of a turn to show at first. */
  readonly turn: string | undefined;
  /** Id of an open question to show at first. */
  readonly ask: string | undefined;
  readonly isFinding: boolean;
  readonly onFindClose: () => void;
}

const keyOf = (row: Row): string => row.key;

/** The messages of a chat: opens at the end, follows it, and loads older turns as people scroll up. */
export function Transcript({ turn, ask, isFinding, onFindClose }: TranscriptProps) {
  const { chat } = useChatScope();
  const rows = useRows(chat);
  const list = useRef<VirtualListHandle>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const older = useOlderTurns(chat);
  useEffect(
    // The row of the message is there in the next frame.
    () => onMessageSent(chat, () => requestAnimationFrame(() => list.current?.scrollToEnd())),
    [chat],
  );
  const [linkedKey, showRow] = useLinkedRow({ rows, list, turn, ask });
  const onKeyDown = useTranscriptKeys(rows, list, frame);
  const estimate = useCallback((row: Row) => estimateRow(chat.mirror.state, row), [chat]);
  if (rows.length === 0)
    return (
      <div className="flex min-h-0 flex-1 items-center">
        <EmptyState title={text.chat.emptyTitle}>{text.chat.empty}</EmptyState>
      </div>
    );
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys move between messages; each has buttons too
    <div ref={frame} className="relative flex min-h-0 flex-1 flex-col" onKeyDown={onKeyDown}>
      <h2 className="sr-only">{text.chat.transcript}</h2>
      {isFinding && <FindBar rows={rows} showRow={showRow} frame={frame} onClose={onFindClose} />}
      {older.state === 'loading' && (
        <div className="pointer-events-none absolute inset-x-0 top-2 z-10 flex justify-center">
          <span className="flex items-center gap-2 rounded-full border border-line bg-raised px-3 py-1 text-xs text-muted shadow-sm">
            <Spinner label={text.chat.loadingOlder} className="size-3.5" />
            <span aria-hidden>{text.chat.loadingOlder}</span>
          </span>
        </div>
      )}
      <VirtualList
        items={rows}
        keyOf={keyOf}
        estimate={estimate}
        anchor="end"
        role="log"
        label={text.chat.transcript}
        handle={list}
        onNearStart={older.load}
        onAtEnd={setAtEnd}
        className="min-h-0 flex-1 focus-visible:-outline-offset-2"
      >
        {(row) => <RowView row={row} isHighlighted={row.key === linkedKey} />}
      </VirtualList>
      {!isAtEnd && <JumpToLatest onJump={() => list.current?.scrollToEnd()} />}
      <AnswerAnnouncer />
    </div>
  );
}

/** The rows of a chat; the same array while no row came or went. */
function useRows(chat: ChatHandle): readonly Row[] {
  // Each chat has a transcript of its own.
  const [projector] = useState(() => new RowProjector());
  return useSelected(chat.mirror, (state) => projector.rowsOf(state));
}
