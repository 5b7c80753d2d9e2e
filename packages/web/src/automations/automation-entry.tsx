import type { Automations } from '@agenthost/client';
import { type AutomationEntry, automationNotes, MAX_COUNTED_MISSES } from '@agenthost/protocol';
import { ChevronRight, Pencil, Play } from 'lucide-react';
import { useState } from 'react';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { useRootPart } from '../live/use-live.ts';
import { useMayAct } from '../live/use-scope.ts';
import { ConfirmDialog } from '../settings/confirm-dialog.tsx';
import { Badge } from '../settings/panel.tsx';
import { automationsText } from '../text/automations-text.ts';
import { pathOf } from '../text/file-path.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { Switch } from '../ui/field.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { showError, showToast } from '../ui/toasts.tsx';
import { PluginList } from './plugin-list.tsx';
import { RunList, RunStatus } from './run-list.tsx';
import { schedulesOf, timeInZone, whenWords } from './schedule-words.ts';

interface EntryProps {
  readonly link: HostLink;
  readonly automations: Automations;
  readonly entry: AutomationEntry;
}

/** An automation: when it runs, how the last run ended, and what can be done. Opened, it shows what it does and its runs. */
export function AutomationEntryCard({
  isOpen,
  onToggle,
  onEdit,
  ...props
}: EntryProps & {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onEdit: () => void;
}) {
  const { link, automations, entry } = props;
  const { resource, definition, runs } = entry;
  const mayAct = useMayAct(link);
  const title = visibleText(definition.title);
  const [last] = runs;
  const setEnabled = async (isEnabled: boolean): Promise<void> => {
    try {
      await automations.setEnabled(resource, isEnabled);
    } catch (error) {
      showError(automationsText.failed(messageOf(error)));
    }
  };
  return (
    <li className="overflow-clip rounded-xl border border-line bg-raised">
      <div className="flex items-start gap-3 px-4 py-3">
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={automationsText.details(title)}
            onClick={onToggle}
            className="-ms-1 flex min-w-0 items-center gap-1 self-start rounded-md px-1 text-start text-sm font-medium hover:bg-hover touch:min-h-11"
          >
            <ChevronRight
              className={classes(
                'size-4 shrink-0 text-muted transition-transform rtl:rotate-180',
                isOpen && 'rotate-90 rtl:rotate-90',
              )}
              aria-hidden
            />
            <span className="min-w-0 break-words">{title}</span>
          </button>
          <p className="text-sm break-words text-muted">{whenWords(definition)}</p>
          <StateLine entry={entry} />
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
            {last === undefined ? (
              automationsText.neverRan
            ) : (
              <>
                {automationsText.lastRun} <RunStatus run={last} />
              </>
            )}
          </p>
          <Missed entry={entry} />
        </div>
        {mayAct && (
          <span className="flex h-6 shrink-0 items-center touch:h-11">
            <Switch
              aria-label={automationsText.enabled(title)}
              isOn={definition.enabled}
              onChange={(isOn) => void setEnabled(isOn)}
            />
          </span>
        )}
      </div>
      {mayAct && <Actions {...props} title={title} onEdit={onEdit} />}
      {isOpen && <Details {...props} title={title} />}
    </li>
  );
}

/** The next run, or why there is none. */
function StateLine({ entry }: { readonly entry: AutomationEntry }) {
  const { definition, nextRunAt, runCount = 0 } = entry;
  const { disabledBecause } = automationNotes(entry);
  const zone = schedulesOf(definition)[0]?.schedule.timeZone;
  if (nextRunAt !== undefined)
    return (
      <p className="text-sm">
        <time dateTime={nextRunAt}>{automationsText.next(timeInZone(Date.parse(nextRunAt), zone))}</time>
      </p>
    );
  if (definition.enabled)
    return definition.triggers.length === 0 ? undefined : (
      <p className="text-sm text-muted">{automationsText.notScheduled}</p>
    );
  return (
    <p className={classes('text-sm', disabledBecause === undefined ? 'text-muted' : 'text-warn')}>
      {disabledBecause === undefined
        ? automationsText.off
        : disabledBecause === 'afterRuns'
          ? automationsText.offBecause.afterRuns(runCount)
          : automationsText.offBecause[disabledBecause]}
    </p>
  );
}

function Missed({ entry }: { readonly entry: AutomationEntry }) {
  const { missed } = automationNotes(entry);
  if (missed === undefined) return undefined;
  const { count, last, isMadeUp } = missed;
  const zone = schedulesOf(entry.definition)[0]?.schedule.timeZone;
  return (
    <p className="rounded-lg bg-warn-soft px-2.5 py-1.5 text-xs text-warn">
      {automationsText.missed(
        count,
        count >= MAX_COUNTED_MISSES,
        timeInZone(Date.parse(last), zone),
        isMadeUp,
      )}
    </p>
  );
}

function Actions({
  automations,
  entry,
  title,
  onEdit,
}: EntryProps & { readonly title: string; readonly onEdit: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const { resource } = entry;
  const run = async (): Promise<void> => {
    try {
      await automations.run(resource);
      showToast({ message: automationsText.started });
    } catch (error) {
      showError(automationsText.failed(messageOf(error)));
    }
  };
  const remove = async (): Promise<void> => {
    const answer = await automations.remove(resource);
    if (answer.outcome === 'rejected' || answer.outcome === 'dropped')
      showError(automationsText.failed(visibleText(answer.reason)));
  };
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2">
      <Button size="small" aria-label={automationsText.runNamed(title)} onClick={() => void run()}>
        <Play className="size-3.5" aria-hidden />
        {automationsText.run}
      </Button>
      <Button size="small" aria-label={automationsText.editNamed(title)} onClick={onEdit}>
        <Pencil className="size-3.5" aria-hidden />
        {automationsText.edit}
      </Button>
      <Button
        size="small"
        look="danger"
        className="ms-auto"
        aria-label={automationsText.removeNamed(title)}
        onClick={() => setAsking(true)}
      >
        {automationsText.remove}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={automationsText.removeTitle(title)}
          action={automationsText.remove}
          onConfirm={() => void remove()}
          onClose={() => setAsking(false)}
        >
          {automationsText.removeText}
        </ConfirmDialog>
      )}
    </div>
  );
}

function Details({ link, automations, entry, title }: EntryProps & { readonly title: string }) {
  const { definition, runCount = 0 } = entry;
  const { session, message, disableConditions = [] } = definition;
  const agents = useRootPart(link, (state) => state.agents, undefined);
  const agent =
    agents?.find(({ provider }) => provider === session.provider)?.displayName ?? session.provider;
  return (
    <div className="flex flex-col gap-3 border-t border-line px-4 py-3 text-sm">
      <p className="max-h-60 overflow-y-auto rounded-lg bg-sunken px-3 py-2 break-words whitespace-pre-wrap">
        <SafeText>{message.text}</SafeText>
      </p>
      <p className="flex flex-wrap items-center gap-2">
        <Badge>
          <SafeText>{agent ?? automationsText.defaultAgent}</SafeText>
        </Badge>
        {session.model !== undefined && (
          <Badge>
            <SafeText>{session.model.id}</SafeText>
          </Badge>
        )}
        {session.workingDirectories?.map((uri) => (
          <span key={uri} className="font-mono text-xs break-all text-muted">
            <SafeText>{pathOf(uri)}</SafeText>
          </span>
        )) ?? <span className="text-xs text-muted">{automationsText.defaultFolder}</span>}
      </p>
      <PluginList plugins={entry.customizations ?? []} title={title} />
      {disableConditions.map((condition) => (
        <p key={condition.kind} className="text-xs text-muted">
          {condition.kind === 'afterRuns'
            ? automationsText.ends(condition.max, runCount)
            : automationsText.endsAt(timeInZone(Date.parse(condition.date)))}
        </p>
      ))}
      <RunList link={link} automations={automations} entry={entry} title={title} />
    </div>
  );
}
