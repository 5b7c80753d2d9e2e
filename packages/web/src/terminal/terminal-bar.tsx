import type { TerminalHandle } from '@agenthost/client';
import { hasExited } from '@agenthost/protocol';
import { Bell, ChevronDown, ChevronUp, Ellipsis, OctagonX } from 'lucide-react';
import type { Ref } from 'react';
import { useState } from 'react';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { showError } from '../ui/toasts.tsx';
import { CloseDialog, RenameDialog } from './bar-dialogs.tsx';
import { HolderLine } from './holder-line.tsx';
import { isAccepted } from './holding.ts';
import type { ScreenControls } from './screen-controls.ts';
import { useBarEntries } from './use-bar-entries.tsx';
import { useMayType } from './use-claim.ts';

/** The line above a screen: title, holder and actions. */
export function TerminalBar({
  handle,
  link,
  terminal,
  controls,
  blockedCount,
  isInSession,
  hasBell,
  onBellSeen,
  onClosed,
}: {
  readonly handle: Ref<HTMLDivElement>;
  readonly link: HostLink;
  readonly terminal: TerminalHandle;
  readonly controls: ScreenControls | undefined;
  /** Keys pressed so far that the host would not take. */
  readonly blockedCount: number;
  /** Whether the page shows the session of the terminal. */
  readonly isInSession: boolean;
  readonly hasBell: boolean;
  readonly onBellSeen: () => void;
  readonly onClosed: (() => void) | undefined;
}) {
  const { mirror } = terminal;
  const title = useSelected(mirror, (state) => state.title);
  const isExited = useSelected(mirror, hasExited);
  const hasCommands = useSelected(mirror, (state) => state.supportsCommandDetection === true);
  const mayType = useMayType(link, terminal);
  const [dialog, setDialog] = useState<'rename' | 'close'>();
  const close = (): void => {
    setDialog(undefined);
    terminal.dispose().then(
      () => onClosed?.(),
      (error: unknown) => showError(messageOf(error)),
    );
  };
  const entries = useBarEntries({
    link,
    terminal,
    controls,
    onRename: () => setDialog('rename'),
    onClose: () => (hasExited(terminal.state) ? close() : setDialog('close')),
  });
  return (
    <div ref={handle} className="border-b border-line bg-canvas">
      <div className="flex min-h-10 flex-wrap items-center gap-x-1 px-2 touch:py-1">
        <h2
          className="min-w-0 flex-1 truncate ps-1 text-sm font-medium sm:flex-none sm:max-w-[50%]"
          title={visibleText(title)}
        >
          <SafeText>{title}</SafeText>
        </h2>
        <HolderLine
          link={link}
          terminal={terminal}
          controls={controls}
          blockedCount={blockedCount}
          isInSession={isInSession}
        />
        {hasBell && (
          <IconButton size="small" label={text.terminal.bell} onClick={onBellSeen}>
            <Bell className="size-4 text-warn" aria-hidden />
          </IconButton>
        )}
        {hasCommands && (
          <>
            <IconButton
              size="small"
              label={text.terminal.previousCommand}
              onClick={() => controls?.jump('previous')}
            >
              <ChevronUp className="size-4" aria-hidden />
            </IconButton>
            <IconButton size="small" label={text.terminal.nextCommand} onClick={() => controls?.jump('next')}>
              <ChevronDown className="size-4" aria-hidden />
            </IconButton>
          </>
        )}
        {mayType && !isExited && (
          <IconButton
            size="small"
            label={text.terminal.interrupt}
            onClick={() => {
              terminal.signal('INT').catch((error: unknown) => showError(messageOf(error)));
              controls?.focus();
            }}
          >
            <OctagonX className="size-4" aria-hidden />
          </IconButton>
        )}
        <Menu entries={entries}>
          <IconButton size="small" label={text.terminal.actions(visibleText(title))}>
            <Ellipsis className="size-4" aria-hidden />
          </IconButton>
        </Menu>
      </div>
      {dialog === 'rename' && (
        <RenameDialog
          title={title}
          onClose={() => setDialog(undefined)}
          onRename={(next) => {
            setDialog(undefined);
            void terminal.rename(next).then(isAccepted);
          }}
        />
      )}
      {dialog === 'close' && (
        <CloseDialog title={title} onClose={() => setDialog(undefined)} onConfirm={close} />
      )}
    </div>
  );
}
