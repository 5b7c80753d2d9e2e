import type { TerminalHandle } from '@agenthost/client';
import { hasExited } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import { Eye, Keyboard } from 'lucide-react';
import { useState } from 'react';
import { hostParam } from '../board/board-session.ts';
import type { HostLink } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { useMayAct } from '../live/use-scope.ts';
import { usePresence } from '../presence/use-presence.ts';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { giveBack, type ShownHolder, shownHolder, take } from './holding.ts';
import type { ScreenControls } from './screen-controls.ts';
import { useClaim } from './use-claim.ts';

/** Tells who types in a terminal, and offers to take it or to give it back [TERM-5]. */
export function HolderLine({
  link,
  terminal,
  controls,
  blockedCount,
  isInSession,
}: {
  readonly link: HostLink;
  readonly terminal: TerminalHandle;
  readonly controls: ScreenControls | undefined;
  readonly blockedCount: number;
  /** Whether the page shows the session of the terminal. */
  readonly isInSession: boolean;
}) {
  const claim = useClaim(terminal);
  const isExited = useSelected(terminal.mirror, hasExited);
  const mayAct = useMayAct(link);
  const clients = usePresence(link);
  const [isBusy, setIsBusy] = useState(false);
  const holder = shownHolder(terminal.uri, claim, link.client?.clientId, clients);
  if (isExited) return <span className="hidden flex-1 sm:block" />;
  const run = (work: Promise<unknown>): void => {
    setIsBusy(true);
    void work.finally(() => {
      setIsBusy(false);
      controls?.focus();
    });
  };
  const isMine = holder.kind === 'me';
  const isOthers = holder.kind === 'client' && holder.isPresent;
  const Icon = isMine ? Keyboard : Eye;
  return (
    <div
      key={blockedCount}
      className={classes(
        'order-last flex min-h-8 min-w-0 basis-full items-center gap-x-2 px-1 text-xs text-muted sm:order-none sm:flex-1 sm:basis-0 sm:px-2',
        blockedCount > 0 && !isMine && 'animate-pulse [animation-iteration-count:2] text-warn',
      )}
    >
      <Icon className="size-3.5 shrink-0" aria-hidden />
      <span role={blockedCount > 0 && !isMine ? 'alert' : undefined} className="min-w-0 truncate">
        {mayAct ? labelOf(holder) : text.terminal.watchOnly}
      </span>
      {holder.kind === 'session' && !isInSession && (
        <Link
          to="/s/$session"
          params={{ session: holder.session }}
          search={{ chat: holder.chat, host: hostParam(link) }}
          className="shrink-0 text-accent hover:underline"
        >
          {text.terminal.openSession}
        </Link>
      )}
      <span className="flex-1" />
      {mayAct && isOthers && <span className="min-w-0 truncate">{text.terminal.mustHandOver}</span>}
      {mayAct && !isMine && !isOthers && (
        <Button
          size="small"
          className="h-7 px-2 text-xs touch:h-8"
          disabled={isBusy}
          title={text.terminal.takeOverHint}
          onClick={() => run(take(link, terminal))}
        >
          {text.terminal.takeOver}
        </Button>
      )}
      {mayAct && isMine && (
        <Button
          size="small"
          look="ghost"
          className="h-7 px-2 text-xs touch:h-8"
          disabled={isBusy}
          onClick={() => run(giveBack(terminal))}
        >
          {text.terminal.giveBack}
        </Button>
      )}
    </div>
  );
}

function labelOf(holder: ShownHolder): string {
  switch (holder.kind) {
    case 'me':
      return text.terminal.heldByMe;
    case 'nobody':
      return text.terminal.heldByNobody;
    case 'client':
      return text.terminal.heldByClient(holder.name);
    case 'session':
      return holder.isInUse ? text.terminal.usedBySession : text.terminal.backgroundOfSession;
    default:
      return holder satisfies never;
  }
}
