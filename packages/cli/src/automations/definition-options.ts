import type {
  AutomationDisableCondition,
  AutomationEventTrigger,
  AutomationScheduleTrigger,
  AutomationTriggerDefinition,
} from '@agenthost/protocol';
import { compileSchedule, InvalidSchedule } from '@agenthost/protocol/schedule';
import { keyAndValue, readValue } from '../input/settings.ts';
import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import { ownZone } from './times.ts';

/** The options that make triggers. */
export interface TriggerOptions {
  readonly cron?: readonly string[];
  readonly zone?: string;
  readonly missed?: string;
}

/** The schedules that options ask for. What the options leave out is as in `before`. Throws a usage error that names the option. */
export function triggersFrom(
  { cron, zone, missed }: TriggerOptions,
  before: readonly AutomationScheduleTrigger[],
): AutomationScheduleTrigger[] {
  if (missed !== undefined && missed !== 'run' && missed !== 'skip')
    throw usageError(`--missed: expected run or skip, got ${oneLine(missed) || 'nothing'}`);
  const [first] = before;
  const policy = missed === undefined ? first?.misfirePolicy : missed === 'skip' ? 'skip' : 'runOnce';
  const wanted =
    cron?.map((expression) => ({ expression, timeZone: zone ?? first?.schedule.timeZone ?? ownZone() })) ??
    before.map(({ schedule }) => ({ ...schedule, ...(zone === undefined ? {} : { timeZone: zone }) }));
  return wanted.map((schedule, index) => {
    check(schedule);
    const misfirePolicy = policy ?? before[index]?.misfirePolicy ?? 'runOnce';
    return { id: before[index]?.id ?? `schedule-${index + 1}`, kind: 'schedule', schedule, misfirePolicy };
  });
}

/** The options that make triggers of events. */
export interface EventOptions {
  readonly on?: readonly string[];
  readonly onConfig?: readonly string[];
}

/** The event triggers that options ask for, one for each type. Throws a usage error that names the option. */
export function eventsFrom(
  { on = [], onConfig = [] }: EventOptions,
  types: readonly AutomationTriggerDefinition[],
): AutomationEventTrigger[] {
  if (on.length === 0 && onConfig.length > 0)
    throw usageError('--on-config: there is no --on that it could apply to');
  const chosen = on.map((text) => {
    const [typeId, eventId] = text.split(':');
    const type = types.find((each) => each.type === typeId);
    const event = type?.events.find(({ id }) => id === eventId);
    if (type !== undefined && event !== undefined) return { type, event };
    const known = types.flatMap((each) => each.events.map(({ id }) => `${each.type}:${id}`));
    throw usageError(
      `--on: expected ${oneLine(known.join(' or ') || 'nothing, as the host has no events')}, got ${oneLine(text) || 'nothing'}`,
    );
  });
  return types.flatMap((type): AutomationEventTrigger[] => {
    const events = chosen.filter((each) => each.type === type).map(({ event }) => event);
    if (events.length === 0) return [];
    const given = onConfig.map((text) => keyAndValue(text, '--on-config'));
    const schema = type.configSchema ?? { type: 'object', properties: {} };
    const config = Object.fromEntries(given.map(([key, text]) => [key, readValue(schema, key, text)]));
    const { configSchema: _, ...labels } = type;
    return [
      {
        id: `event-${type.type}`,
        kind: 'event',
        ...labels,
        events,
        ...(given.length === 0 ? {} : { config }),
      },
    ];
  });
}

function check(schedule: AutomationScheduleTrigger['schedule']): void {
  try {
    compileSchedule(schedule);
  } catch (error) {
    if (!(error instanceof InvalidSchedule)) throw error;
    const zoneProblem = /^timeZone: (.*)$/s.exec(error.message)?.[1];
    throw usageError(
      zoneProblem === undefined
        ? `--cron ${JSON.stringify(oneLine(schedule.expression))}: ${oneLine(error.message, 300)}`
        : `--zone: ${oneLine(zoneProblem)}`,
    );
  }
}

/** The options that end an automation. */
export interface EndOptions {
  readonly maxRuns?: string;
  readonly until?: string;
}

/** The conditions that options ask for, with those of `before` that the options leave out. Throws a usage error. */
export function conditionsFrom(
  { maxRuns, until }: EndOptions,
  before: readonly AutomationDisableCondition[],
): AutomationDisableCondition[] {
  const kept = before.filter(({ kind }) => (kind === 'afterRuns' ? maxRuns : until) === undefined);
  return [
    ...kept,
    ...(maxRuns === undefined || maxRuns === 'off'
      ? []
      : [{ kind: 'afterRuns', max: countOf(maxRuns) } as const]),
    ...(until === undefined || until === 'off' ? [] : [{ kind: 'afterDate', date: timeOf(until) } as const]),
  ];
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(
    `--max-runs: expected a whole number of at least 1, or off, got ${oneLine(text) || 'nothing'}`,
  );
}

/** A date alone is its beginning, by the clocks of this machine. */
function timeOf(text: string): string {
  const ms = /^\d{4}-\d\d-\d\d(?:T|$)/.test(text)
    ? Date.parse(text.length === 10 ? `${text}T00:00` : text)
    : Number.NaN;
  if (Number.isNaN(ms))
    throw usageError(
      `--until: expected a time such as 2027-01-31 or 2027-01-31T18:00, or off, got ${oneLine(text) || 'nothing'}`,
    );
  if (ms <= Date.now()) throw usageError(`--until: ${oneLine(text)} is in the past`);
  return new Date(ms).toISOString();
}
