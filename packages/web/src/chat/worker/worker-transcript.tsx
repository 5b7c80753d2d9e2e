import type { ChatHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { messageOf } from '../../live/host-link.ts';
import { useChat, useSelected } from '../../live/use-live.ts';
import { useQuestionTarget } from '../../questions/question-target.ts';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Spinner } from '../../ui/states.tsx';
import { type ChatScope, ChatScopeProvider, useChatScope } from '../chat-scope.tsx';
import { RowProjector } from '../transcript/rows.ts';

/** Rows that show inside of a card; the rest is in the worker's tab. */
const SHOWN_ROWS = 60;
/** Distance from the end, in pixels, at which new rows are followed. */
const END_PX = 40;

/** The chat of a worker inside of its tool call: live, and its questions can be answered here. */
export function WorkerTranscript({ uri }: { readonly uri: URI }) {
  const { link, session } = useChatScope();
  const opened = useChat(link, session, uri);
  if (opened.state === 'opening') return <Spinner label={text.chat.workerLoading} />;
  if (opened.state === 'failed')
    return (
      <p role="alert" className="flex flex-wrap items-center gap-2 text-sm text-danger">
        {text.chat.workerFailed(messageOf(opened.error))}
        <Button size="small" onClick={opened.retry}>
          {text.ui.tryAgain}
        </Button>
      </p>
    );
  return <OpenWorker chat={opened.value} />;
}

function OpenWorker({ chat }: { readonly chat: ChatHandle }) {
  const outer = useChatScope();
  const target = useQuestionTarget(outer.link, chat.mirror.uri);
  const scope = useMemo<ChatScope>(() => ({ ...outer, chat, target, isNested: true }), [outer, chat, target]);
  // A card shows one chat for its whole life.
  const [projector] = useState(() => new RowProjector());
  const all = useSelected(chat.mirror, (state) => projector.rowsOf(state));
  const rows = all.slice(-SHOWN_ROWS);
  const scroller = useRef<HTMLDivElement>(null);
  useFollowEnd(scroller);
  const { RowView } = outer;
  if (rows.length === 0) return <p className="text-sm text-muted">{text.chat.workerEmpty}</p>;
  return (
    <ChatScopeProvider value={scope}>
      <div
        ref={scroller}
        role="group"
        aria-label={text.chat.worker}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
        tabIndex={0}
        className="max-h-[28rem] overflow-y-auto rounded-lg border border-line bg-canvas px-3 py-1.5"
      >
        <div>
          {rows.length < all.length && <p className="py-1 text-xs text-faint">{text.chat.workerEarlier}</p>}
          {rows.map((row) => (
            <RowView key={row.key} row={row} isHighlighted={false} />
          ))}
        </div>
      </div>
    </ChatScopeProvider>
  );
}

/** Keeps a scrolling area at its end while its content grows. */
function useFollowEnd(scroller: React.RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (element === null || content === null || content === undefined) return undefined;
    let isAtEnd = true;
    const note = (): void => {
      isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX;
    };
    element.scrollTop = element.scrollHeight;
    element.addEventListener('scroll', note, { passive: true });
    const observer = new ResizeObserver(() => {
      if (isAtEnd) element.scrollTop = element.scrollHeight;
    });
    observer.observe(content);
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', note);
    };
  }, [scroller]);
}
