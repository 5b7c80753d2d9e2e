import type { TerminalHandle } from '@agenthost/client';
import type { TerminalState, URI } from '@agenthost/protocol';
import { useState } from 'react';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { useMayAct } from '../live/use-scope.ts';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { showError } from '../ui/toasts.tsx';
import { commandOf, openTerminal } from './open-terminal.ts';

const exitCodeOf = ({ lifecycle }: TerminalState): number | undefined =>
  lifecycle.status === 'exited' ? lifecycle.exitCode : undefined;

/** Tells how a program ended, and offers to run it again and to close the terminal. */
export function ExitedLine({
  link,
  terminal,
  onReplaced,
  onClosed,
}: {
  readonly link: HostLink;
  readonly terminal: TerminalHandle;
  readonly onReplaced: ((uri: URI) => void) | undefined;
  readonly onClosed: (() => void) | undefined;
}) {
  const exitCode = useSelected(terminal.mirror, exitCodeOf);
  const mayAct = useMayAct(link);
  const [isBusy, setIsBusy] = useState(false);
  const command = commandOf(terminal.uri);
  const run = async (work: () => Promise<void>): Promise<void> => {
    setIsBusy(true);
    try {
      await work();
    } catch (error) {
      showError(messageOf(error));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line bg-canvas px-3 py-1.5 text-sm text-muted">
      <span role="status" className="min-w-0 grow basis-56">
        {text.terminal.exited(exitCode)}
      </span>
      {mayAct && onReplaced !== undefined && (
        <Button
          size="small"
          disabled={isBusy}
          onClick={() =>
            void run(async () => {
              const { cwd, title } = terminal.state;
              onReplaced(await openTerminal(link, { cwd, command, name: command && title }));
            })
          }
        >
          {command === undefined ? text.terminal.newHere : text.terminal.restart}
        </Button>
      )}
      {mayAct && onClosed !== undefined && (
        <Button
          size="small"
          look="ghost"
          disabled={isBusy}
          onClick={() =>
            void run(async () => {
              await terminal.dispose();
              onClosed();
            })
          }
        >
          {text.terminal.close}
        </Button>
      )}
    </div>
  );
}
