import type { TerminalHandle } from '@agenthost/client';
import { hasExited, type URI } from '@agenthost/protocol';
import { lazy, Suspense, useCallback, useRef, useState } from 'react';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { useLinkStatus } from '../live/use-hosts.ts';
import { useIsLost } from '../live/use-is-lost.ts';
import { useSelected, useTerminal } from '../live/use-live.ts';
import { useMayAct } from '../live/use-scope.ts';
import { usePresentHere } from '../presence/use-presence.ts';
import { text } from '../text/text.ts';
import { classes } from '../ui/class-names.ts';
import { EmptyState, FailedState, Spinner } from '../ui/states.tsx';
import { ExitedLine } from './exited-line.tsx';
import type { ScreenControls } from './screen-controls.ts';
import { TerminalBar } from './terminal-bar.tsx';
import { useKeyboardInset } from './use-keyboard-inset.ts';

const XtermScreen = lazy(async () => ({ default: (await import('./screen/xterm-screen.tsx')).XtermScreen }));

interface TerminalScreenProps {
  readonly link: HostLink;
  readonly uri: URI;
  readonly className?: string;
  readonly autoFocus?: boolean;
  /** Whether the page shows the session of the terminal around it. */
  readonly isInSession?: boolean;
  /** Called with the URI of a terminal that was opened in place of this one. */
  readonly onReplaced?: ((uri: URI) => void) | undefined;
  /** Called after the person closed the terminal. */
  readonly onClosed?: (() => void) | undefined;
}

/** A terminal with its screen, its holder and its actions. Fills its parent. */
export function TerminalScreen({ link, uri, className, ...rest }: TerminalScreenProps) {
  const terminal = useTerminal(link, uri);
  const section = useRef<HTMLElement>(null);
  const paddingBottom = useKeyboardInset(section);
  return (
    <section
      ref={section}
      className={classes('flex min-h-0 min-w-0 flex-col bg-sunken', className)}
      style={{ paddingBottom }}
    >
      {terminal.state === 'opening' && <Opening />}
      {terminal.state === 'failed' && (
        <FailedState
          title={text.terminal.failedTitle}
          reason={messageOf(terminal.error)}
          onRetry={terminal.retry}
        />
      )}
      {terminal.state === 'open' && <Opened key={uri} link={link} terminal={terminal.value} {...rest} />}
    </section>
  );
}

function Opening() {
  return (
    <div className="flex flex-1 items-center justify-center p-8">
      <Spinner label={text.terminal.opening} />
    </div>
  );
}

function Opened({
  link,
  terminal,
  autoFocus = false,
  isInSession = false,
  onReplaced,
  onClosed,
}: Pick<TerminalScreenProps, 'link' | 'autoFocus' | 'isInSession' | 'onReplaced' | 'onClosed'> & {
  readonly terminal: TerminalHandle;
}) {
  const isLost = useIsLost(terminal.mirror);
  const mayAct = useMayAct(link);
  const isOnline = useLinkStatus(link).state === 'online';
  const isExited = useSelected(terminal.mirror, hasExited);
  const [controls, setControls] = useState<ScreenControls>();
  const [blockedCount, setBlockedCount] = useState(0);
  const [hasBell, setHasBell] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  usePresentHere(link, { showing: [terminal.uri] });
  const leave = useCallback(() => bar.current?.querySelector('button')?.focus(), []);
  const ring = useCallback(() => setHasBell(true), []);
  if (isLost) return <EmptyState title={text.terminal.lostTitle}>{text.terminal.lost}</EmptyState>;
  return (
    <>
      <TerminalBar
        handle={bar}
        link={link}
        terminal={terminal}
        controls={controls}
        blockedCount={blockedCount}
        isInSession={isInSession}
        hasBell={hasBell}
        onBellSeen={() => setHasBell(false)}
        onClosed={onClosed}
      />
      <Suspense fallback={<Opening />}>
        <XtermScreen
          terminal={terminal}
          mayAct={mayAct}
          autoFocus={autoFocus}
          onControls={setControls}
          onBlocked={() => setBlockedCount((count) => count + 1)}
          onBell={ring}
          onLeave={leave}
        />
      </Suspense>
      {!isOnline && (
        <p role="status" className="border-t border-line bg-warn-soft px-3 py-1 text-xs text-warn">
          {text.terminal.reconnecting}
        </p>
      )}
      {isExited && <ExitedLine link={link} terminal={terminal} onReplaced={onReplaced} onClosed={onClosed} />}
    </>
  );
}
