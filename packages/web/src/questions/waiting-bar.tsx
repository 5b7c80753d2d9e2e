import type { ChatHandle, SessionHandle } from '@agenthost/client';
import { ACTIVITY_MASK, type SessionInputRequest, SessionStatus } from '@agenthost/protocol';
import { ChevronDown, ChevronUp, CircleHelp } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { releaseEnd } from '../ui/use-sticky-end.ts';
import { InlineQuestion } from './inline-question.tsx';
import { questionElement, useHiddenQuestions } from './use-hidden-questions.ts';
import { askTitle } from './waiting-questions.ts';

const NONE: readonly SessionInputRequest[] = [];

/**
 * Lists the open questions of a session that are not in view, and links to them or answers them. Nothing when there are none. `chat`: the chat in
 * view, whose answers count before the host has them.
 */
export function WaitingBar({
  link,
  session,
  chat,
  mayAct,
}: {
  readonly link: HostLink;
  readonly session: SessionHandle;
  readonly chat: ChatHandle;
  readonly mayAct: boolean;
}) {
  const bar = useRef<HTMLDivElement>(null);
  const asked = useSelected(session.mirror, (state) => state.inputNeeded ?? NONE);
  const needsInput = useSelected(
    chat.mirror,
    ({ status }) => (status & ACTIVITY_MASK) === SessionStatus.InputNeeded,
  );
  const entries = useMemo(
    () => (needsInput ? asked : asked.filter((entry) => entry.chat !== chat.mirror.uri)),
    [asked, needsInput, chat.mirror.uri],
  );
  const [open, setOpen] = useState<string>();
  const waiting = useHiddenQuestions(entries, bar);
  const first = waiting[0];
  const shown = waiting.find(({ id }) => id === open);
  const show = (entry: SessionInputRequest): void => {
    const place = questionElement(entry);
    if (place === undefined) return setOpen(entry.id);
    releaseEnd(place);
    place.scrollIntoView({ block: 'center' });
    place.focus();
  };
  return (
    <div ref={bar} className={classes(first === undefined && '-mb-2')}>
      {first !== undefined && (
        <section
          aria-label={text.questions.waiting}
          className="flex flex-col gap-2 rounded-xl border border-accent/50 bg-accent-soft p-1.5 ps-3 text-sm"
        >
          <div className="flex items-center gap-2">
            <CircleHelp className="size-4 shrink-0 text-accent" aria-hidden />
            <p className="min-w-0 flex-1 truncate">
              <span className="font-medium">{text.questions.waits(waiting.length)}</span>{' '}
              <SafeText>{askTitle(shown ?? first)}</SafeText>
            </p>
            <Button
              size="small"
              aria-expanded={shown !== undefined}
              onClick={() => (shown === undefined ? show(first) : setOpen(undefined))}
            >
              {shown === undefined ? text.questions.show : text.questions.hide}
              {shown === undefined ? (
                <ChevronUp className="size-3.5" aria-hidden />
              ) : (
                <ChevronDown className="size-3.5" aria-hidden />
              )}
            </Button>
          </div>
          {shown !== undefined && (
            <div className="max-h-[55vh] overflow-y-auto pe-1.5 pb-1">
              <InlineQuestion link={link} entry={shown} mayAct={mayAct} />
            </div>
          )}
        </section>
      )}
    </div>
  );
}
