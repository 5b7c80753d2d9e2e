import type { Message } from '@agenthost/protocol';
import { Copy, Pencil, RotateCcw } from 'lucide-react';
import { text } from '../../text/text.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/clipboard.ts';
import { useChatScope } from '../chat-scope.tsx';
import { HOVER_ACTIONS } from './hover-actions.ts';
import { useTurnActions } from './use-turn-actions.tsx';

interface MessageActionsProps {
  readonly turnId: string;
  readonly message: Message;
  readonly onEdit: () => void;
}

/** The buttons below a message: copy, edit, and send again for the last one. */
export function MessageActions({ turnId, message, onEdit }: MessageActionsProps) {
  const { mayAct, isNested } = useChatScope();
  const { resend, isLast } = useTurnActions(turnId);
  if (isNested) return undefined;
  return (
    <div className={`flex shrink-0 justify-end gap-0.5 ${HOVER_ACTIONS} group-hover/message:opacity-100`}>
      <IconButton size="small" label={text.chat.copyMessage} onClick={() => void copyText(message.text)}>
        <Copy className="size-3.5" aria-hidden />
      </IconButton>
      {mayAct && message.origin.kind === 'user' && (
        <>
          <IconButton size="small" label={text.chat.editAndResend} onClick={onEdit}>
            <Pencil className="size-3.5" aria-hidden />
          </IconButton>
          {isLast && (
            <IconButton size="small" label={text.chat.resend} onClick={resend}>
              <RotateCcw className="size-3.5" aria-hidden />
            </IconButton>
          )}
        </>
      )}
    </div>
  );
}
