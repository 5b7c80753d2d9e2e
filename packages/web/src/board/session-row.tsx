import type { ChangesSummary, SessionSummary } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import { Ellipsis, GitFork } from 'lucide-react';
import { memo, type ReactNode, useState } from 'react';
import { DiffCounts } from '../chat/diff/diff-counts.tsx';
import { text } from '../text/text.ts';
import { IconButton } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { AskCard } from './ask-card.tsx';
import { type BoardSession, hostParam } from './board-session.ts';
import { projectName } from './folder-name.ts';
import { isInWorktree } from './in-worktree.ts';
import type { RowControls } from './list-controls.ts';
import { RenameField } from './rename-field.tsx';
import { previewOf, titleOf } from './session-actions.ts';
import { factsOf } from './session-facts.ts';
import { signOf } from './session-need.ts';
import { StatusIcon } from './status-icon.tsx';
import { exactTime, useRelativeTime } from './use-relative-time.ts';

interface SessionRowProps {
  readonly session: BoardSession;
  /** Narrow, for the sidebar; else with all details of the board. */
  readonly isCompact: boolean;
  /** The row that Tab reaches. */
  readonly isCurrent: boolean;
  readonly isRenaming: boolean;
  /** Whether rows name their host. */
  readonly showsHost: boolean;
  readonly controls: RowControls;
}

const IS_TOUCH = matchMedia('(pointer: coarse)').matches;

const WORKTREE_ICON = <GitFork className="size-3" aria-hidden />;
const MORE_ICON = <Ellipsis className="size-4" aria-hidden />;

/** A session in a list: its sign, title, question or activity, and place. */
export const SessionRow = memo(function SessionRow(props: SessionRowProps) {
  const { session, isCompact, isRenaming, controls } = props;
  const sign = signOf(session.summary);
  const isStrong = sign === 'asks' || sign === 'unread';
  const [isHovered, setHovered] = useState(false);
  // A filter renders rows at each key, so a row has no more elements than it needs.
  const hasMore = !isRenaming && (isHovered || props.isCurrent || IS_TOUCH);
  return (
    <div
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      className={classes(
        'group relative rounded-lg hover:bg-hover focus-within:bg-hover',
        isCompact ? 'mx-2' : 'mx-1 sm:mx-3',
      )}
      onContextMenu={(event) => {
        event.preventDefault();
        const box = event.currentTarget.getBoundingClientRect();
        const isByKeyboard = event.clientX === 0 && event.clientY === 0;
        controls.openMenu(
          session,
          isByKeyboard ? { x: box.left + 24, y: box.top + 24 } : { x: event.clientX, y: event.clientY },
        );
      }}
    >
      {isRenaming ? (
        <div className="flex items-center gap-2.5 px-2.5 py-2">
          <StatusIcon sign={sign} />
          <RenameField session={session} onDone={() => controls.endRename(session)} />
        </div>
      ) : (
        <RowLink {...props}>
          <StatusIcon sign={sign} className="mt-0.5" />
          <span className="min-w-0 flex-1">
            <span className="flex items-baseline gap-2">
              <span className={classes('min-w-0 flex-1', isStrong && 'font-medium')} title={titleOf(session)}>
                <SafeText className="truncate-auto">{titleOf(session)}</SafeText>
              </span>
              {!isCompact && <Facts {...props} className="hidden max-w-80 sm:block" />}
              <WorktreeChip summary={session.summary} isCompact={isCompact} />
              <ChangeCounts changes={session.summary.changes} />
              <Time iso={session.summary.modifiedAt} isShort={isCompact} />
            </span>
            <Detail {...props} />
            {!isCompact && <Facts {...props} className="mt-0.5 block sm:hidden" />}
          </span>
        </RowLink>
      )}
      {hasMore && <More session={session} controls={controls} />}
      {!isCompact && sign === 'asks' && <AskCard session={session} />}
    </div>
  );
});

function RowLink({
  session,
  isCurrent,
  controls,
  isCompact,
  children,
}: SessionRowProps & { readonly children: ReactNode }) {
  return (
    <Link
      data-row
      ref={(element: HTMLAnchorElement | null) => controls.register(session.key, element)}
      to="/s/$session"
      params={{ session: session.summary.resource }}
      search={{ host: hostParam(session.link) }}
      activeOptions={{ includeSearch: false }}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={() => controls.setCurrent(session.key)}
      className={classes(
        'flex items-start gap-2.5 rounded-lg px-2.5 text-sm touch:min-h-14',
        isCompact ? 'py-1.5 data-[status=active]:bg-accent-soft' : 'py-2.5',
      )}
    >
      {children}
    </Link>
  );
}

/** One line below the title: the question, the activity, or how the last answer ended. */
function Detail({ session, isCompact }: SessionRowProps) {
  const { summary } = session;
  const ask = summary['x-asks']?.first;
  const detail = ask?.title ?? summary.activity ?? previewOf(summary);
  const project = projectName(summary);
  const shown = detail === '' && isCompact ? project : detail;
  if (shown === '' || (ask !== undefined && !isCompact)) return undefined;
  return (
    <span
      className={classes('block text-xs', ask === undefined ? 'text-muted' : 'text-warn')}
      title={isCompact && project !== '' ? project : undefined}
    >
      <SafeText className="truncate-auto">{shown}</SafeText>
    </span>
  );
}

/** Project, agent and host. */
function Facts({ session, showsHost, className }: SessionRowProps & { readonly className: string }) {
  const facts = factsOf(session, showsHost);
  return (
    <span className={classes('min-w-0 truncate text-xs text-faint', className)} title={facts}>
      {facts}
    </span>
  );
}

/** Says that a session works in a git worktree and not in the folder of its project. */
function WorktreeChip({
  summary,
  isCompact,
}: {
  readonly summary: SessionSummary;
  readonly isCompact: boolean;
}) {
  if (!isInWorktree(summary)) return undefined;
  return (
    <span
      title={text.board.inWorktree}
      className={classes(
        'flex shrink-0 items-center gap-1 self-center text-xs text-muted',
        !isCompact && 'rounded-md bg-sunken px-1.5 py-0.5',
      )}
    >
      {WORKTREE_ICON}
      <span className={isCompact ? 'sr-only' : undefined}>{text.board.worktree}</span>
    </span>
  );
}

/** How many lines the session has changed. */
function ChangeCounts({ changes }: { readonly changes: ChangesSummary | undefined }) {
  const { additions = 0, deletions = 0 } = changes ?? {};
  if (additions + deletions === 0) return undefined;
  return (
    <span className="flex shrink-0 gap-1 text-xs">
      <DiffCounts added={additions} removed={deletions} />
    </span>
  );
}

function Time({ iso, isShort }: { readonly iso: string; readonly isShort: boolean }) {
  const words = useRelativeTime(iso, isShort);
  return (
    <time
      dateTime={iso}
      title={exactTime(iso)}
      className="min-w-8 shrink-0 text-end text-xs text-faint tabular-nums group-focus-within:invisible group-hover:invisible touch:visible! touch:pe-9"
    >
      {words}
    </time>
  );
}

function More({ session, controls }: Pick<SessionRowProps, 'session' | 'controls'>) {
  return (
    <IconButton
      label={text.board.actionsOf(titleOf(session))}
      size="small"
      tabIndex={-1}
      className="absolute end-1.5 top-1.5 opacity-0 touch:top-0.5 group-focus-within:opacity-100 group-hover:opacity-100 touch:opacity-100"
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        controls.openMenu(session, { x: box.left, y: box.bottom });
      }}
    >
      {MORE_ICON}
    </IconButton>
  );
}
