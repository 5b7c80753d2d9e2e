import type { ChatHandle, DispatchOutcome } from '@agenthost/client';
import type { ChatState } from '@agenthost/protocol';
import { Pause } from 'lucide-react';
import { useRef } from 'react';
import type { HostLink } from '../../live/host-link.ts';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { showToast } from '../../ui/toasts.tsx';
import { inOrder, movedBy } from './queue-order.ts';
import { QueuedMessage } from './queued-message.tsx';
import { SteeringMessage } from './steering-message.tsx';
import { useDragOrder } from './use-drag-order.ts';
import { useUnsentMessages } from './use-unsent-messages.ts';

const NONE: NonNullable<ChatState['queuedMessages']> = [];

/** Messages that wait: the one that steers the running turn, and the queue. Nothing when there are none. */
export function QueuePanel({
  link,
  chat,
  editing,
  onEditing,
}: {
  readonly link: HostLink;
  readonly chat: ChatHandle;
  /** Id of the message that is edited in place. */
  readonly editing: string | undefined;
  readonly onEditing: (id: string | undefined) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  const queued = useSelected(chat.mirror, (state) => state.queuedMessages ?? NONE);
  const steering = useSelected(chat.mirror, (state) => state.steeringMessage);
  const isRunning = useSelected(chat.mirror, (state) => state.activeTurn !== undefined);
  const lastState = useSelected(chat.mirror, (state) => state.turns.at(-1)?.state);
  const isUnsent = useUnsentMessages(link, chat);
  const ids = queued.map(({ id }) => id);
  const reorder = (order: readonly string[]): void => report(chat.queue.reorder(order));
  const drag = useDragOrder(list, ids, reorder);
  if (queued.length === 0 && steering === undefined) return null;
  const isHeld = !isRunning && queued.length > 0;
  return (
    <section
      aria-label={text.composer.waitingMessages}
      className="flex flex-col rounded-xl border border-line bg-sunken text-sm"
    >
      {steering !== undefined && (
        <SteeringMessage chat={chat} steering={steering} isUnsent={isUnsent(steering)} report={report} />
      )}
      {isHeld && (
        <p className="flex items-center gap-2 py-1.5 ps-3 pe-1.5 text-muted">
          <Pause className="size-4 shrink-0" aria-hidden />
          <span className="min-w-0 flex-1">{text.composer.held(lastState)}</span>
          <Button size="small" onClick={() => report(chat.queue.release())}>
            {text.composer.release}
          </Button>
        </p>
      )}
      <ul ref={list} className="flex max-h-[30vh] flex-col overflow-y-auto empty:hidden">
        {inOrder(queued, drag.order).map((pending, index) => (
          <QueuedMessage
            key={pending.id}
            pending={pending}
            place={index + 1}
            count={queued.length}
            isRunning={isRunning}
            isUnsent={isUnsent(pending)}
            isDragged={drag.dragged === pending.id}
            isEditing={editing === pending.id}
            handle={drag.handle(pending.id)}
            onEdit={(isEditing) => onEditing(isEditing ? pending.id : undefined)}
            onChange={(edited) => report(chat.queue.edit(pending.id, edited))}
            onMove={(by) => {
              // Keys may come faster than frames, so the rendered order can be out of date.
              const present = chat.queue.messages.map(({ id }) => id);
              const order = movedBy(present, pending.id, by);
              if (order !== present) reorder(order);
            }}
            onRemove={() => report(chat.queue.remove(pending.id))}
            onSteer={() => report(steerNow(chat, pending))}
          />
        ))}
      </ul>
    </section>
  );
}

/** Sends a queued message to the running turn. It stays in the queue until the host has taken it. */
async function steerNow(
  chat: ChatHandle,
  { id, message }: NonNullable<ChatState['queuedMessages']>[number],
): Promise<DispatchOutcome> {
  const outcome = await chat.steer(message);
  return outcome.outcome === 'accepted' ? chat.queue.remove(id) : outcome;
}

/** Shows why a change of the queue was refused. */
function report(change: Promise<DispatchOutcome>): void {
  void change.then((outcome) => {
    if (outcome.outcome !== 'rejected' && outcome.outcome !== 'dropped') return;
    showToast({ message: text.composer.queueRejected(visibleText(outcome.reason)), kind: 'error' });
  });
}
