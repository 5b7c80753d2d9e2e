import type { TerminalHandle } from '@agenthost/client';
import { outputOf, type TerminalCommandResult, type TerminalState, type URI } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import { ExternalLink, SquareTerminal } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { hostParam } from '../board/board-session.ts';
import type { HostLink } from '../live/host-link.ts';
import { useIsLost } from '../live/use-is-lost.ts';
import { useSelected, useTerminal } from '../live/use-live.ts';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { foldAnsi } from './ansi/ansi.ts';
import { outputTail } from './ansi/output-tail.ts';
import { AnsiLines } from './ansi-lines.tsx';
import { TerminalScreen } from './terminal-screen.tsx';

/** Lines and UTF-16 units that are shown at first, and after "Show more". */
const SHORT = { lines: 12, units: 12 * 1024 };
const LONG = { lines: 400, units: 96 * 1024 };

interface TerminalOutputProps {
  readonly link: HostLink;
  /** The terminal's channel. */
  readonly uri: URI;
  /** How the command ended; absent while it runs. Its preview is shown when the terminal is gone. */
  readonly result?: TerminalCommandResult | undefined;
}

/** The last lines of a command's output, live and without an emulator, and a way to the whole terminal. For cards in a chat. */
export function TerminalOutput({ link, uri, result }: TerminalOutputProps) {
  const terminal = useTerminal(link, uri);
  if (terminal.state === 'open') return <LiveOutput link={link} terminal={terminal.value} result={result} />;
  if (result?.preview !== undefined) return <Preview result={result} />;
  return <Lines output="">{undefined}</Lines>;
}

const contentOf = ({ content }: TerminalState): TerminalState['content'] => content;

function LiveOutput({
  link,
  terminal,
  result,
}: {
  readonly link: HostLink;
  readonly terminal: TerminalHandle;
  readonly result: TerminalCommandResult | undefined;
}) {
  const isLost = useIsLost(terminal.mirror);
  const content = useSelected(terminal.mirror, contentOf);
  const rows = useSelected(terminal.mirror, (state) => state.rows);
  const [isOpen, setIsOpen] = useState(false);
  const [isLong, setIsLong] = useState(false);
  const { units } = isLong ? LONG : SHORT;
  const output = useMemo(() => outputTail(content.map(outputOf), units), [content, units]);
  if (isLost && result?.preview !== undefined) return <Preview result={result} />;
  if (isOpen) {
    return (
      <div className="overflow-hidden rounded-lg border border-line">
        <TerminalScreen link={link} uri={terminal.uri} className="h-96" isInSession />
        <footer className="flex gap-1 border-t border-line bg-canvas p-1">
          <Button size="small" look="ghost" onClick={() => setIsOpen(false)}>
            {text.terminal.hideTerminal}
          </Button>
          <Link
            to="/terminals"
            search={{ open: terminal.uri, host: hostParam(link) }}
            className="inline-flex h-8 items-center gap-1.5 rounded-lg px-2.5 text-sm font-medium hover:bg-hover touch:h-10"
          >
            <ExternalLink className="size-4 text-muted" aria-hidden />
            {text.terminal.inView}
          </Link>
        </footer>
      </div>
    );
  }
  return (
    <Lines output={output} rows={rows} isLong={isLong} onLong={setIsLong}>
      {!isLost && (
        <Button size="small" look="ghost" onClick={() => setIsOpen(true)}>
          <SquareTerminal className="size-4 text-muted" aria-hidden />
          {text.terminal.openTerminal}
        </Button>
      )}
    </Lines>
  );
}

function Preview({
  result: { preview = '', truncated = false },
}: {
  readonly result: TerminalCommandResult;
}) {
  const [isLong, setIsLong] = useState(false);
  return (
    <Lines output={preview} isLong={isLong} onLong={setIsLong}>
      {truncated && <span className="px-2 text-xs text-faint">{text.terminal.cutOutput}</span>}
    </Lines>
  );
}

function Lines({
  output,
  rows = 24,
  isLong = false,
  onLong,
  children,
}: {
  readonly output: string;
  readonly rows?: number | undefined;
  readonly isLong?: boolean;
  readonly onLong?: (isLong: boolean) => void;
  /** Buttons below the lines. */
  readonly children: ReactNode;
}) {
  const folded = useMemo(() => foldAnsi(output, { rows, maxLines: LONG.lines }), [output, rows]);
  const most = isLong ? LONG.lines : SHORT.lines;
  const shown = useMemo(() => folded.lines.slice(-most), [folded, most]);
  const hasMore = folded.lines.length > shown.length || output.length > SHORT.units / 2;
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sunken">
      <div
        role="log"
        aria-live="off"
        aria-label={text.terminal.outputLabel}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
        tabIndex={0}
        className={classes(
          'flex flex-col-reverse overflow-auto px-3 py-2 font-mono text-xs leading-[1.45]',
          isLong ? 'max-h-[28rem]' : 'max-h-60',
        )}
      >
        {/* The reversed column keeps the end in view. */}
        <div className="whitespace-pre-wrap [overflow-wrap:anywhere] [tab-size:8]">
          <AnsiLines lines={shown} />
          {folded.isFullScreen && <p className="text-muted">{text.terminal.fullScreen}</p>}
          {shown.length === 0 && !folded.isFullScreen && (
            <p className="text-faint">{text.terminal.noOutputYet}</p>
          )}
        </div>
      </div>
      <footer className="flex flex-wrap items-center gap-1 border-t border-line p-1 empty:hidden">
        {children}
        {onLong !== undefined && (hasMore || isLong) && (
          <Button size="small" look="ghost" onClick={() => onLong(!isLong)}>
            {isLong ? text.terminal.showLess : text.terminal.showMore}
          </Button>
        )}
      </footer>
    </div>
  );
}
