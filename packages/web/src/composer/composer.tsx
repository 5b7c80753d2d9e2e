import type { ChatHandle, SessionHandle } from '@agenthost/client';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { focusNewestPanel } from '../questions/open-panels.ts';
import { text } from '../text/text.ts';
import { draftOf, EMPTY_DRAFT, isEmptyDraft } from './draft/draft-content.ts';
import { shiftSpans } from './draft/shift-spans.ts';
import { DraftOffer } from './draft-offer.tsx';
import { fieldCommand } from './key-decision.ts';
import { MessageField } from './message-field.tsx';
import { ComposerNotes } from './notes.tsx';
import { SendButtons } from './send-buttons.tsx';
import { useDraft } from './use-draft.ts';
import { useSelection } from './use-selection.ts';
import { useSending } from './use-sending.ts';
import { useStopByEscape } from './use-stop-by-escape.ts';
import { useTyping } from './use-typing.ts';

const isTouch = (): boolean => window.matchMedia('(pointer: coarse)').matches;

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
  const draft = useDraft(link, chat);
  const { content } = draft;
  const { selection } = useSelection(link, session, chat, content);
  const { problem, clearProblem, send } = useSending(chat, draft);
  const typed = useTyping(link, chat.mirror.uri);
  const isRunning = useSelected(chat.mirror, (state) => state.activeTurn !== undefined);
  const [replaced, setReplaced] = useState<string>();
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
    const command = fieldCommand({
      ...{ key, shiftKey, ctrlKey, metaKey, altKey, isComposing },
      ...{ isTouch: isTouch(), isRunning, isEmpty: content.text === '' && content.parts.length === 0 },
    });
    if (command === undefined) return;
    if (command === 'edit-last' && !editLast()) return;
    event.preventDefault();
    if (command === 'escape') escape();
    else if (command !== 'edit-last') submit(command);
  };

  return (
    <>
      <DraftOffer link={link} chat={chat.mirror.uri} draft={draft} />
      <ComposerNotes
        problem={problem}
        onDismissProblem={clearProblem}
        isReplacing={replaced !== undefined}
        onStopReplacing={stopReplacing}
      />
      <div className="flex flex-col gap-2 rounded-2xl border border-line-strong bg-raised p-2.5 shadow-sm focus-within:border-accent">
        <MessageField
          field={field}
          value={content.text}
          aria-label={text.composer.message}
          placeholder={isRunning ? text.composer.placeholderRunning : text.composer.placeholder}
          onKeyDown={onKeyDown}
          onFocus={() => draft.setFocused(true)}
          onBlur={() => draft.setFocused(false)}
          onChange={(event) => {
            const next = event.target.value;
            typed();
            draft.edit({ ...content, text: next, parts: shiftSpans(content.parts, content.text, next) });
          }}
        />
        <div className="flex items-center gap-1">
          <span className="min-w-0 flex-1" />
          {isAsking && <span className="text-xs text-muted">{text.composer.escapeAgain}</span>}
          <SendButtons
            isRunning={isRunning}
            isEmpty={isEmpty}
            onSend={() => submit('send')}
            onSteer={() => submit('steer')}
            onStop={stop}
          />
        </div>
      </div>
    </>
  );
}
