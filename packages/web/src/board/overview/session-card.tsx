import { Link } from '@tanstack/react-router';
import { SafeText } from '../../ui/safe-text.tsx';
import { type BoardSession, hostParam } from '../board-session.ts';
import { previewOf, titleOf } from '../session-actions.ts';
import { signOf } from '../session-need.ts';
import { StatusIcon } from '../status-icon.tsx';
import { SessionFacts } from './session-facts.tsx';

/** A session that runs or has finished: its activity, and the end of its last answer. */
export function SessionCard({
  session,
  showsHost,
}: {
  readonly session: BoardSession;
  readonly showsHost: boolean;
}) {
  const { link, summary } = session;
  const sign = signOf(summary);
  const { activity } = summary;
  const preview = previewOf(summary);
  return (
    <Link
      to="/s/$session"
      params={{ session: summary.resource }}
      search={{ host: hostParam(link) }}
      className="flex min-w-0 flex-1 flex-col gap-1.5 rounded-xl border border-line bg-raised p-3.5 text-sm transition-colors hover:border-line-strong hover:bg-hover/50"
    >
      <span className="flex items-start gap-2.5">
        <StatusIcon sign={sign} className="mt-0.5" />
        <span className="min-w-0 flex-1 font-medium" title={titleOf(session)}>
          <SafeText className="truncate-auto">{titleOf(session)}</SafeText>
        </span>
      </span>
      {activity !== undefined && activity !== '' && (
        <span className="truncate ps-6.5 text-accent" title={activity}>
          <SafeText>{activity}</SafeText>
        </span>
      )}
      {preview !== '' && (
        <span className="line-clamp-2 ps-6.5 text-muted wrap-anywhere">
          <SafeText>{preview}</SafeText>
        </span>
      )}
      <span className="mt-auto flex ps-6.5 pt-0.5">
        <SessionFacts session={session} showsHost={showsHost} />
      </span>
    </Link>
  );
}
