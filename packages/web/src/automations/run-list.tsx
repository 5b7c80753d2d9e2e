import type { Automations } from '@agenthost/client';
import { type AutomationEntry, type AutomationRunSummary, isRunOver } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import { hostParam } from '../board/board-session.ts';
import { exactTime, useRelativeTime } from '../board/use-relative-time.ts';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { useMayAct } from '../live/use-scope.ts';
import { Badge } from '../settings/panel.tsx';
import { automationsText } from '../text/automations-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { showError, showToast } from '../ui/toasts.tsx';

const TONES = {
  pending: 'accent',
  running: 'accent',
  completed: 'ok',
  failed: 'danger',
  cancelled: 'plain',
} as const;

/** The result of a run, and when it ended or began. */
export function RunStatus({ run }: { readonly run: AutomationRunSummary }) {
  const { lifecycle } = run;
  const at = isRunOver(run) && 'completedAt' in lifecycle ? lifecycle.completedAt : lifecycle.createdAt;
  const age = useRelativeTime(at);
  return (
    <>
      <Badge tone={TONES[lifecycle.status]}>{automationsText.statuses[lifecycle.status]}</Badge>
      <time dateTime={at} title={exactTime(at)}>
        {age}
      </time>
    </>
  );
}

/** The runs of an automation, the newest first, with their sessions. */
export function RunList({
  link,
  automations,
  entry,
  title,
}: {
  readonly link: HostLink;
  readonly automations: Automations;
  readonly entry: AutomationEntry;
  readonly title: string;
}) {
  const { resource, runs, runsNextCursor } = entry;
  const showOlder = async (): Promise<void> => {
    try {
      await automations.fetchOlderRuns(resource);
    } catch (error) {
      showError(automationsText.failed(messageOf(error)));
    }
  };
  return (
    <section aria-label={automationsText.runs(title)} className="flex flex-col gap-2">
      <h2 className="text-sm font-semibold">{automationsText.runsTitle}</h2>
      {runs.length === 0 ? (
        <p className="text-muted">{automationsText.noRuns}</p>
      ) : (
        <ul className="flex flex-col divide-y divide-line rounded-lg border border-line">
          {runs.map((run) => (
            <Run key={run.resource} link={link} automations={automations} run={run} />
          ))}
        </ul>
      )}
      {runsNextCursor !== undefined && (
        <Button size="small" className="self-start" onClick={() => void showOlder()}>
          {automationsText.olderRuns}
        </Button>
      )}
    </section>
  );
}

function Run({
  link,
  automations,
  run,
}: {
  readonly link: HostLink;
  readonly automations: Automations;
  readonly run: AutomationRunSummary;
}) {
  const mayAct = useMayAct(link);
  const { resource, lifecycle, primarySession } = run;
  const cancel = async (): Promise<void> => {
    const answer = await automations.cancel(resource);
    if (answer.outcome === 'rejected' || answer.outcome === 'dropped')
      showError(automationsText.failed(visibleText(answer.reason)));
    else showToast({ message: automationsText.cancelled });
  };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <div className="flex min-w-0 flex-1 basis-56 flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
        <RunStatus run={run} />
        <span>{originWord(run)}</span>
        <Duration run={run} />
        {lifecycle.status === 'failed' && (
          <SafeText className="basis-full break-words text-danger">{lifecycle.error.message}</SafeText>
        )}
      </div>
      {primarySession !== undefined && (
        <Link
          to="/s/$session"
          params={{ session: primarySession }}
          search={{ host: hostParam(link) }}
          className="inline-flex items-center text-sm text-accent hover:underline touch:min-h-11"
        >
          {automationsText.openSession}
        </Link>
      )}
      {mayAct && !isRunOver(run) && (
        <Button size="small" onClick={() => void cancel()}>
          {automationsText.cancelRun}
        </Button>
      )}
    </li>
  );
}

function Duration({ run: { lifecycle } }: { readonly run: AutomationRunSummary }) {
  if (!('completedAt' in lifecycle) || lifecycle.startedAt === undefined) return undefined;
  const seconds = Math.round((Date.parse(lifecycle.completedAt) - Date.parse(lifecycle.startedAt)) / 1_000);
  const duration =
    seconds < 100 ? automationsText.seconds(seconds) : automationsText.minutes(Math.round(seconds / 60));
  return <span>{automationsText.took(duration)}</span>;
}

function originWord({ origin }: AutomationRunSummary): string {
  const { origins } = automationsText;
  if (origin.kind === 'manual') return origins.manual;
  if (origin.scheduledFor === undefined) return origins.event;
  return origin.catchUp === true ? origins.catchUp : origins.schedule;
}
