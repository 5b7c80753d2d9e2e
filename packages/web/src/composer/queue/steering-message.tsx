import type { ChatHandle, DispatchOutcome } from '@agenthost/client';
import type { PendingMessage } from '@agenthost/protocol';
import { Navigation, Pencil, X } from 'lucide-react';
import { useState } from 'react';
import { text } from '../../text/text.ts';
import { IconButton } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { PendingEditor } from './pending-editor.tsx';
import { pendingText } from './pending-text.ts';

/** The message that steers the running turn, until the agent has taken it. */
export function SteeringMessage({
  chat,
  steering: { id, message },
  isUnsent,
  report,
}: {
  readonly chat: ChatHandle;
  readonly steering: PendingMessage;
  /** Whether the host has not got the message yet. */
  readonly isUnsent: boolean;
  readonly report: (change: Promise<DispatchOutcome>) => void;
}) {
  const [isEditing, setEditing] = useState(false);
  return (
    <div className="flex items-center gap-2 border-b border-line py-1 ps-2.5 pe-1.5 last:border-b-0">
      <Navigation className="size-4 shrink-0 text-accent" aria-hidden />
      {isEditing ? (
        <PendingEditor
          initial={message.text}
          onSave={(edited) => {
            setEditing(false);
            report(chat.queue.edit(id, edited));
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <>
          <p className="line-clamp-2 min-w-0 flex-1 wrap-anywhere">
            <span className="text-muted">{text.composer.steering}</span>{' '}
            <SafeText>{pendingText(message)}</SafeText>
          </p>
          {isUnsent && <span className="shrink-0 text-xs text-muted">{text.chat.unsent}</span>}
          <IconButton label={text.composer.editQueued} size="small" onClick={() => setEditing(true)}>
            <Pencil className="size-3.5" aria-hidden />
          </IconButton>
          <IconButton
            label={text.composer.removeQueued}
            size="small"
            onClick={() => report(chat.queue.remove(id))}
          >
            <X className="size-4" aria-hidden />
          </IconButton>
        </>
      )}
    </div>
  );
}
