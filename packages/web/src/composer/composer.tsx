import type { ChatHandle, SessionHandle } from '@agenthost/client';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { useMayAct } from '../live/use-scope.ts';
import { focusNewestPanel } from '../questions/open-panels.ts';
import { text } from '../text/text.ts';
import { AttachChat } from './attachments/attach-chat.tsx';
import { AttachMenu } from './attachments/attach-menu.tsx';
import { AttachmentChips } from './attachments/attachment-chips.tsx';
import { DropZone } from './attachments/drop-zone.tsx';
import { useAttachments } from './attachments/use-attachments.ts';
import { CompletionList, completionId } from './completion/completion-list.tsx';
import { useCompletions } from './completion/use-completions.ts';
import { draftOf, EMPTY_DRAFT, isEmptyDraft } from './draft/draft-content.ts';
import { shiftSpans } from './draft/shift-spans.ts';
import { DraftOffer } from './draft-offer.tsx';
import { doesEnterBreak } from './enter-setting.ts';
import { fieldCommand } from './key-decision.ts';
import { MessageField } from './message-field.tsx';
import { ComposerNotes } from './notes.tsx';
import { QueuePanel } from './queue/queue-panel.tsx';
import { ContextRing } from './selectors/context-ring.tsx';
import { AgentMenu, ModelMenu } from './selectors/model-menu.tsx';
import { SessionMenus } from './selectors/session-menus.tsx';
import { SendButtons } from './send-buttons.tsx';
import { useDraft } from './use-draft.ts';
import { useSelection } from './use-selection.ts';
import { useSending } from './use-sending.ts';
import { useStartFocus } from './use-start-focus.ts';
import { useStopByEscape } from './use-stop-by-escape.ts';
import { useTyping } from './use-typing.ts';

/** The message field of a chat, with what belongs to the message. */
export function Composer({
  link,
  session,
  chat,
}: {
  readonly link: HostLink;
  readonly session: SessionHandle;
  readonly chat: ChatHandle;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  useStartFocus(field);
  // A role in the session attaches no other chats and runs no terminal commands.
  const mayActOnHost = useMayAct(link);
  const draft = useDraft(link, chat);
  const { content } = draft;
  const choices = useSelection(link, session, chat, content);
  const { selection } = choices;
  const attaching = useAttachments(draft);
  const completions = useCompletions(link, chat, draft, field);
  const listId = useId();
  const { problem, clearProblem, send } = useSending(chat, draft);
  const typed = useTyping(link, chat.mirror.uri);
  const isRunning = useSelected(chat.mirror, (state) => state.activeTurn !== undefined);
  const [replaced, setReplaced] = useState<string>();
  const [edited, setEdited] = useState<string>();
  const [isAttachingChat, setAttachingChat] = useState(false);
  const stop = (): void => void chat.cancel();
  const { isAsking, press } = useStopByEscape(isRunning, stop);
  const isEmpty = isEmptyDraft(content);

  const submit = (how: 'send' | 'steer'): void => {
    if (isEmpty) return;
    if (replaced !== undefined && how === 'send') send({ replaceTurn: replaced }, selection);
    else send(how === 'steer' ? 'steer' : isRunning ? 'queue' : 'prompt', selection);
    setReplaced(undefined);
    field.current?.focus();
  };
  const stopReplacing = (): void => {
    setReplaced(undefined);
    draft.edit(EMPTY_DRAFT);
  };
  const editLast = (): boolean => {
    const queued = chat.queue.messages.at(-1);
    if (queued !== undefined) {
      setEdited(queued.id);
      return true;
    }
    const last = chat.mirror.state.turns.at(-1);
    if (isRunning || last === undefined || last.message.origin.kind !== 'user') return false;
    setReplaced(last.id);
    draft.edit(draftOf(last.message));
    return true;
  };
  const escape = (): void => {
    if (replaced !== undefined) return stopReplacing();
    if (isEmpty) focusNewestPanel();
    press();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    const { isComposing } = event.nativeEvent;
    if (!isComposing && !shiftKey && !ctrlKey && !metaKey && !altKey && completions.handleKey(key)) {
      event.preventDefault();
      return;
    }
    const command = fieldCommand({
      ...{ key, shiftKey, ctrlKey, metaKey, altKey, isComposing },
      ...{
        doesEnterBreak: doesEnterBreak(),
        isRunning,
        isEmpty: content.text === '' && content.parts.length === 0,
      },
    });
    if (command === undefined) return;
    if (command === 'edit-last' && !editLast()) return;
    event.preventDefault();
    if (command === 'escape') escape();
    else if (command !== 'edit-last') submit(command);
  };

  const prefix = link.client?.host?.terminalCommandPrefix;
  const isCommand = mayActOnHost && prefix !== undefined && content.text.startsWith(prefix);
  const activeOption = completions.items.length === 0 ? undefined : completionId(listId, completions.index);

  return (
    <>
      <DropZone onFiles={attaching.addFiles} />
      <DraftOffer link={link} chat={chat.mirror.uri} draft={draft} />
      <QueuePanel link={link} chat={chat} editing={edited} onEditing={setEdited} />
      <ComposerNotes
        problem={problem}
        onDismissProblem={clearProblem}
        isReplacing={replaced !== undefined}
        onStopReplacing={stopReplacing}
      />
      <div className="relative flex flex-col gap-2 rounded-2xl border border-line-strong bg-raised p-2.5 shadow-sm focus-within:border-accent">
        <CompletionList id={listId} completions={completions} />
        <AttachmentChips parts={content.parts} attaching={attaching} />
        <MessageField
          field={field}
          value={content.text}
          isCommand={isCommand}
          aria-label={text.composer.message}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={activeOption === undefined ? undefined : listId}
          aria-activedescendant={activeOption}
          placeholder={isRunning ? text.composer.placeholderRunning : text.composer.placeholder}
          onKeyDown={onKeyDown}
          onPaste={attaching.onPaste}
          onFocus={() => draft.setFocused(true)}
          onBlur={() => {
            completions.close();
            draft.setFocused(false);
          }}
          onChange={(event) => {
            const { value: next, selectionEnd } = event.target;
            typed();
            const parts = shiftSpans(content.parts, content.text, next, selectionEnd);
            draft.edit({ ...content, text: next, parts });
            completions.ask(next, selectionEnd);
          }}
        />
        {isCommand && <p className="px-1 text-xs text-muted">{text.composer.terminalCommand}</p>}
        <div className="flex items-center gap-1">
          <AttachMenu
            onFiles={attaching.addFiles}
            onChat={mayActOnHost ? () => setAttachingChat(true) : undefined}
          />
          <div className="flex min-w-0 flex-1 items-center gap-0.5 overflow-hidden">
            <ModelMenu choices={choices} draft={draft} />
            <AgentMenu choices={choices} draft={draft} />
            <SessionMenus session={session} />
          </div>
          {isAsking && (
            <span role="status" className="text-xs text-muted">
              {text.composer.escapeAgain}
            </span>
          )}
          <ContextRing chat={chat} models={choices.models} selected={choices.model} />
          <SendButtons
            isRunning={isRunning}
            isEmpty={isEmpty}
            onSend={() => submit('send')}
            onSteer={() => submit('steer')}
            onStop={stop}
          />
        </div>
      </div>
      {isAttachingChat && (
        <AttachChat
          link={link}
          session={session}
          chat={chat.mirror.uri}
          onAttach={attaching.add}
          onClose={() => setAttachingChat(false)}
        />
      )}
    </>
  );
}
