import type { AnnotationsHandle, ChatHandle } from '@agenthost/client';
import { useState } from 'react';
import { reporting } from '../chat/report-outcome.ts';
import { text } from '../text/text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextArea } from '../ui/field.tsx';
import { showToast } from '../ui/toasts.tsx';

interface SendDialogProps {
  readonly chat: ChatHandle;
  readonly annotations: AnnotationsHandle;
  readonly ids: readonly string[];
  readonly onClose: () => void;
}

/** Asks for a message and sends comments with it. While a turn runs, the message waits in the queue. */
export function SendDialog({ chat, annotations, ids, onClose }: SendDialogProps) {
  const [message, setMessage] = useState(workspaceText.comments.sendDefault);
  const send = (): void => {
    onClose();
    void reporting(workspaceText.comments.send, () => sendComments(chat, annotations, { message, ids }));
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={workspaceText.comments.sendTitle(ids.length)}
      footer={
        <>
          <Button onClick={onClose}>{text.ui.cancel}</Button>
          <Button look="primary" onClick={send}>
            {workspaceText.comments.sendConfirm}
          </Button>
        </>
      }
    >
      <TextArea
        rows={3}
        dir="auto"
        aria-label={workspaceText.comments.sendText}
        value={message}
        onChange={(event) => setMessage(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          send();
        }}
      />
    </Dialog>
  );
}

async function sendComments(
  chat: ChatHandle,
  annotations: AnnotationsHandle,
  { message, ids }: { readonly message: string; readonly ids: readonly string[] },
): Promise<void> {
  const sent = annotations.message(message, ids);
  if (chat.mirror.state.activeTurn === undefined) {
    // The transcript shows how the turn ends.
    chat.prompt(sent).result.catch(() => undefined);
    showToast({ message: workspaceText.comments.sent(ids.length) });
    return;
  }
  const outcome = await chat.enqueue(sent);
  if (outcome.outcome === 'rejected' || outcome.outcome === 'dropped') throw new Error(outcome.reason);
  showToast({ message: workspaceText.comments.queued });
}
