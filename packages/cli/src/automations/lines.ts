import {
  type AutomationDefinition,
  type AutomationEntry,
  type AutomationRunSummary,
  type AutomationTriggerDefinition,
  automationNotes,
  type CustomizationLoadState,
  isRunOver,
  MAX_COUNTED_MISSES,
} from '@agenthost/protocol';
import { shortId } from '../input/ids.ts';
import { shownValue } from '../input/settings.ts';
import { homely, oneLine } from '../render/plain-text.ts';
import { ago } from '../render/session-line.ts';
import { shownPath } from '../render/tool-call.ts';
import { fromNow, nextTimesOf, ownZone, schedulesOf, timeIn } from './times.ts';

/** What lines about automations need to know. */
export interface LineFacts {
  /** ms since the epoch. */
  readonly now: number;
  readonly home: string;
}

/** The names of the columns of `automationLine`. */
export const AUTOMATION_COLUMNS = `${'ID'.padEnd(8)}  ON   ${'NEXT RUN'.padEnd(20)}  ${'LAST RUN'.padEnd(20)}  TITLE`;

/** `4f2a91c0  on   next Sun 2026-11-29 03:00  last completed 9 h ago   Nightly`. */
export function automationLine(entry: AutomationEntry, { now }: LineFacts): string {
  const { resource, definition, nextRunAt, runs } = entry;
  const zone = schedulesOf(definition)[0]?.schedule.timeZone ?? ownZone();
  const next = nextRunAt === undefined ? '' : timeIn(zone, Date.parse(nextRunAt));
  const [last] = runs;
  const result = last === undefined ? 'never ran' : `${last.lifecycle.status} ${ago(timeOf(last), now)} ago`;
  return [
    shortId(resource).padEnd(8),
    (definition.enabled ? 'on' : 'off').padEnd(3),
    (next === '' ? 'not scheduled' : next).padEnd(20),
    result.padEnd(20),
    oneLine(definition.title) || '(no title)',
  ].join('  ');
}

/** The whole automation, one fact a line. */
export function automationFacts(entry: AutomationEntry, facts: LineFacts): string[] {
  const { definition, resource, runs, runsNextCursor } = entry;
  const { session, message } = definition;
  const folders = session.workingDirectories?.map((uri) => homely(shownPath(uri), facts.home)) ?? [];
  const settings = Object.entries(session.config ?? {}).map(
    ([key, value]) => `${oneLine(key)}=${oneLine(shownValue(value), 100)}`,
  );
  const model = session.model === undefined ? '' : ` (${oneLine(session.model.id)})`;
  const settingRows: [name: string, value: string][] =
    settings.length === 0 ? [] : [['config', settings.join(', ')]];
  const rows: [name: string, value: string][] = [
    ['id', oneLine(resource.replace(/^[a-z-]+:\/*/, ''))],
    ['title', oneLine(definition.title) || '(no title)'],
    ['state', stateText(entry)],
    ...whenRows(definition, facts.now),
    ...missedRows(entry),
    ...endRows(entry),
    ['agent', `${session.provider === undefined ? "the host's default" : oneLine(session.provider)}${model}`],
    ['folder', folders.join(', ') || "the host's default"],
    ...settingRows,
    ...pluginRows(entry),
    ['prompt', oneLine(message.text, 500)],
    ['runs', runs.length === 0 ? 'none yet' : ''],
  ];
  return [
    ...rows.map(([name, value]) => `${name.padEnd(8)}${value}`.trimEnd()),
    ...runs.map((run) => `  ${runLine(run, facts)}`),
    ...(runsNextCursor === undefined ? [] : ['  (older runs: automations runs)']),
  ];
}

/** The copies of plugins that its runs have [AUTO-14]. */
function pluginRows({ customizations = [] }: AutomationEntry): [name: string, value: string][] {
  return customizations.map(({ name, version, load, enablement }, index) => {
    const title = [name, version].filter((each) => each !== undefined).map((each) => oneLine(each, 100));
    const fault = load === undefined || load.kind === 'loaded' ? '' : ` (${faultOf(load)})`;
    const off = enablement?.[0]?.enabled === false ? ' (off)' : '';
    return [index === 0 ? 'plugins' : '', `${title.join(' ')}${off}${fault}`];
  });
}

const faultOf = (load: CustomizationLoadState): string =>
  'message' in load ? `${load.kind}: ${oneLine(load.message, 300)}` : load.kind;

/** The next times of an automation, for people: after it was saved. */
export function nextText(entry: AutomationEntry, now: number): string {
  const { definition, nextRunAt } = entry;
  const times = nextTimesOf(definition, now, 3);
  const zone = schedulesOf(definition)[0]?.schedule.timeZone;
  if (nextRunAt === undefined || times.length === 0 || zone === undefined) {
    if (definition.enabled && schedulesOf(definition).length > 0) return 'no further run is scheduled';
    return definition.enabled && definition.triggers.length > 0
      ? 'it runs at its events'
      : 'it runs only on request';
  }
  return `next: ${times.join(', ')} (${oneLine(zone)}), the first ${fromNow(Date.parse(nextRunAt), now)}`;
}

/** The events of a type as `--on` takes them, and their settings. */
export function eventLines({
  type,
  title,
  description,
  events,
  configSchema,
}: AutomationTriggerDefinition): string[] {
  return [
    ...events.map((event) => `${oneLine(`${type}:${event.id}`).padEnd(16)}  ${oneLine(event.title)}`),
    `  ${oneLine(title)}${description === undefined ? '' : `. ${oneLine(description)}`}`,
    ...Object.entries(configSchema?.properties ?? {}).map(
      ([key, property]) =>
        `  --on-config ${oneLine(key)}=…  ${oneLine(property.description ?? property.title)}`,
    ),
  ];
}

/** Whether it is enabled, and if not, why. */
export function stateText(entry: AutomationEntry): string {
  if (entry.definition.enabled) return 'enabled';
  const { disabledBecause } = automationNotes(entry);
  switch (disabledBecause) {
    case 'afterRuns':
      return `disabled: it has made its ${entry.runCount ?? ''} scheduled runs`;
    case 'afterDate':
      return 'disabled: its end has come';
    case 'tokenEnded':
      return 'disabled: the token of the client that saved it has ended; enable it to continue';
    default:
      return 'disabled';
  }
}

/** The names of the columns of `runLine`. */
export const RUN_COLUMNS = `${'ID'.padEnd(8)}  ${'STATE'.padEnd(9)}  ${'AGE'.padEnd(10)}  ${'TIME TAKEN'.padEnd(11)}  ${'CAUSE'.padEnd(10)}  SESSION`;

/** `1a2b3c4d  completed  9 h ago   took 42 s   for Sun 2026-11-29 03:00   session 77b0aa12`. */
export function runLine(run: AutomationRunSummary, { now }: LineFacts): string {
  const { resource, lifecycle, primarySession } = run;
  const took =
    'startedAt' in lifecycle && lifecycle.startedAt !== undefined && 'completedAt' in lifecycle
      ? `took ${ago(lifecycle.startedAt, Date.parse(lifecycle.completedAt))}`
      : '';
  const session = primarySession === undefined ? '' : `session ${shortId(primarySession)}`;
  const head = [
    shortId(resource).padEnd(8),
    lifecycle.status.padEnd(9),
    `${ago(timeOf(run), now)} ago`.padEnd(10),
    took.padEnd(11),
    originText(run).padEnd(10),
    session,
  ].join('  ');
  const error = lifecycle.status === 'failed' ? `  ${oneLine(lifecycle.error.message, 300)}` : '';
  return `${head.trimEnd()}${error}`;
}

function originText({ origin }: AutomationRunSummary): string {
  if (origin.kind === 'manual') return 'by hand';
  if (origin.scheduledFor === undefined) return 'by an event';
  return origin.catchUp === true ? 'for missed times' : 'scheduled';
}

const timeOf = (run: AutomationRunSummary): string =>
  isRunOver(run) && 'completedAt' in run.lifecycle ? run.lifecycle.completedAt : run.lifecycle.createdAt;

function whenRows(definition: AutomationDefinition, now: number): [string, string][] {
  const schedules = schedulesOf(definition);
  const events = definition.triggers.flatMap((trigger) => (trigger.kind === 'event' ? [trigger] : []));
  const rows = schedules.map(({ schedule, misfirePolicy }): [string, string] => [
    'when',
    `${oneLine(schedule.expression)} (${oneLine(schedule.timeZone)})${misfirePolicy === 'skip' ? ', missed times are dropped' : ''}`,
  ]);
  for (const { title, events: chosen } of events)
    rows.push(['when', `${oneLine(title)}: ${chosen.map((event) => oneLine(event.title)).join(', ')}`]);
  if (rows.length === 0) rows.push(['when', 'only on request']);
  const times = nextTimesOf(definition, now, 3);
  return times.length === 0 ? rows : [...rows, ['next', times.join(', ')]];
}

function missedRows(entry: AutomationEntry): [string, string][] {
  const { missed } = automationNotes(entry);
  if (missed === undefined) return [];
  const { count, last, isMadeUp } = missed;
  const many = `${count >= MAX_COUNTED_MISSES ? 'at least ' : ''}${count} ${count === 1 ? 'run' : 'runs'}`;
  const zone = schedulesOf(entry.definition)[0]?.schedule.timeZone ?? ownZone();
  const then = isMadeUp ? 'one run makes up for all' : 'dropped, as configured in the automation';
  return [
    [
      'missed',
      `${many} while the host was away, the last ${timeIn(zone, Date.parse(last))} (${oneLine(zone)}); ${then}`,
    ],
  ];
}

function endRows({ definition, runCount }: AutomationEntry): [string, string][] {
  return (definition.disableConditions ?? []).map((condition): [string, string] =>
    condition.kind === 'afterRuns'
      ? ['ends', `after ${condition.max} scheduled runs; ${runCount ?? 0} so far`]
      : ['ends', `${timeIn(ownZone(), Date.parse(condition.date))} (${ownZone()})`],
  );
}
