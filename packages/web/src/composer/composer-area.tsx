import type { ChatHandle, SessionHandle } from '@agenthost/client';
import { Square } from 'lucide-react';
import { reportOutcome } from '../chat/report-outcome.ts';
import type { HostLink } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { WaitingBar } from '../questions/waiting-bar.tsx';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { Spinner } from '../ui/states.tsx';
import { Composer } from './composer.tsx';
import { WaitingMessages } from './queue/waiting-messages.tsx';

const keys = new WeakMap<ChatHandle, number>();
let lastKey = 0;

/** Differs between two handles of one chat too: the field follows the handle that it began with. */
function keyOf(chat: ChatHandle): number {
  const key = keys.get(chat) ?? ++lastKey;
  keys.set(chat, key);
  return key;
}

/** Everything under the transcript of a chat: open questions, the queue, the message field and its selectors. */
export function ComposerArea({
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
  const lifecycle = useSelected(session.mirror, (state) => state.lifecycle);
  const creationError = useSelected(session.mirror, (state) => state.creationError);
  const interactivity = useSelected(chat.mirror, (state) => state.interactivity);
  const isRunning = useSelected(chat.mirror, ({ activeTurn }) => activeTurn !== undefined);
  const isWritable = mayAct && (interactivity ?? 'full') === 'full';
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-2 px-3 pt-1 pb-3 sm:px-4">
      <WaitingBar link={link} session={session} chat={chat} mayAct={mayAct} />
      {lifecycle === 'creating' && (
        <p className="flex items-center gap-2 px-1 text-xs text-muted">
          <Spinner label={text.composer.starting} className="size-3.5" />
          <span aria-hidden>{text.composer.starting}</span>
        </p>
      )}
      {lifecycle === 'failed' && (
        <p role="alert" className="rounded-xl bg-danger-soft px-3.5 py-2.5 text-sm text-danger wrap-anywhere">
          {text.composer.startFailed(visibleText(creationError?.message ?? text.composer.unknownReason))}
        </p>
      )}
      {!isWritable && <WaitingMessages link={link} chat={chat} />}
      {!isWritable && (
        <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-1 rounded-xl border border-line bg-sunken px-3.5 py-2.5 text-sm text-muted">
          <p>{readOnlyReason(link, mayAct)}</p>
          {mayAct && isRunning && (
            <Button size="small" onClick={() => void reportOutcome(text.composer.stop, chat.cancel())}>
              <Square className="size-3.5" aria-hidden />
              {text.composer.stop}
            </Button>
          )}
        </div>
      )}
      {isWritable && lifecycle !== 'failed' && (
        <Composer key={keyOf(chat)} link={link} session={session} chat={chat} />
      )}
    </div>
  );
}

function readOnlyReason(link: HostLink, mayAct: boolean): string {
  if (link.isCopy) return text.composer.copyReadOnly;
  return mayAct ? text.composer.chatReadOnly : text.composer.tokenReadOnly;
}
