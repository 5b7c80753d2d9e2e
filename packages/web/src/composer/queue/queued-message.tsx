import type { PendingMessage } from '@agenthost/protocol';
import { GripVertical, Navigation, Paperclip, Pencil, X } from 'lucide-react';
import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import { text } from '../../text/text.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { SafeText } from '../../ui/safe-text.tsx';
import { PendingEditor } from './pending-editor.tsx';
import { pendingText } from './pending-text.ts';
import type { DragOrder } from './use-drag-order.ts';

/** One message of the queue. */
export function QueuedMessage({
  pending: { id, message, 'x-by': by },
  place,
  count,
  isRunning,
  isUnsent,
  isDragged,
  isEditing,
  handle,
  onEdit,
  onChange,
  onMove,
  onRemove,
  onSteer,
}: {
  readonly pending: PendingMessage;
  readonly place: number;
  readonly count: number;
  readonly isRunning: boolean;
  /** Whether the host has not got the message yet. */
  readonly isUnsent: boolean;
  readonly isDragged: boolean;
  readonly isEditing: boolean;
  readonly handle: ReturnType<DragOrder['handle']>;
  readonly onEdit: (isEditing: boolean) => void;
  readonly onChange: (edited: string) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
  readonly onSteer: () => void;
}) {
  const moved = useRef<HTMLElement>(undefined);
  useLayoutEffect(() => {
    // An element that moves in the document loses the focus.
    moved.current?.focus();
    moved.current = undefined;
  }, [place]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    if (event.target instanceof HTMLElement) moved.current = event.target;
    onMove(event.key === 'ArrowUp' ? -1 : 1);
  };
  const attachmentCount = message.attachments?.length ?? 0;
  return (
    <li
      data-id={id}
      onKeyDown={onKeyDown}
      className={classes(
        'flex items-center gap-1 border-t border-line py-0.5 ps-1 pe-1.5 first:border-t-0',
        isDragged && 'bg-hover',
      )}
    >
      <button
        type="button"
        {...handle}
        aria-label={text.composer.moveQueued(place, count)}
        title={text.composer.moveHint}
        disabled={count < 2}
        className="flex size-7 shrink-0 cursor-grab touch-none items-center justify-center rounded-lg text-faint disabled:opacity-40 touch:size-10"
      >
        <GripVertical className="size-4" aria-hidden />
      </button>
      {isEditing ? (
        <PendingEditor
          initial={message.text}
          onSave={(edited) => {
            onEdit(false);
            onChange(edited);
          }}
          onCancel={() => onEdit(false)}
        />
      ) : (
        <>
          <p className="line-clamp-2 min-w-0 flex-1 py-1 wrap-anywhere whitespace-pre-line">
            <SafeText>{pendingText(message)}</SafeText>
          </p>
          {by?.person !== undefined && (
            <SafeText className="max-w-[8rem] shrink-0 truncate text-xs text-muted">{by.person}</SafeText>
          )}
          {isUnsent && <span className="shrink-0 text-xs text-muted">{text.chat.unsent}</span>}
          {attachmentCount > 0 && (
            <span className="flex items-center gap-0.5 text-xs text-muted" title={text.composer.attachments}>
              <Paperclip className="size-3.5" aria-hidden />
              {attachmentCount}
            </span>
          )}
          {isRunning && (
            <IconButton label={text.composer.steerQueued} size="small" onClick={onSteer}>
              <Navigation className="size-3.5" aria-hidden />
            </IconButton>
          )}
          <IconButton label={text.composer.editQueued} size="small" onClick={() => onEdit(true)}>
            <Pencil className="size-3.5" aria-hidden />
          </IconButton>
          <IconButton label={text.composer.removeQueued} size="small" onClick={onRemove}>
            <X className="size-4" aria-hidden />
          </IconButton>
        </>
      )}
    </li>
  );
}
