import type { AutomationDefinition, AutomationEntry } from '@agenthost/protocol';

const maxOf = ({ disableConditions = [] }: AutomationDefinition): number | undefined =>
  disableConditions.flatMap((condition) => (condition.kind === 'afterRuns' ? [condition.max] : []))[0];

/** The condition of an automation that is met [AUTO-12]. `now`: ms since the epoch. */
export function metCondition(
  definition: AutomationDefinition,
  runCount: number,
  now: number,
): 'afterRuns' | 'afterDate' | undefined {
  if (runCount >= (maxOf(definition) ?? Number.POSITIVE_INFINITY)) return 'afterRuns';
  return now >= (endOfTime(definition) ?? Number.POSITIVE_INFINITY) ? 'afterDate' : undefined;
}

/** The time after which an automation is disabled, in ms since the epoch. `undefined`: none. */
export const endOfTime = ({ disableConditions = [] }: AutomationDefinition): number | undefined =>
  disableConditions.flatMap((condition) =>
    condition.kind === 'afterDate' ? [Date.parse(condition.date)] : [],
  )[0];

/** The number of scheduled runs after a definition was saved. `undefined`: it is not counted [AUTO-13]. */
export function runCountAfter(
  before: AutomationEntry | undefined,
  after: AutomationDefinition,
): number | undefined {
  if (maxOf(after) === undefined) return undefined;
  const isEnabledAgain = before?.definition.enabled === false && after.enabled;
  return isEnabledAgain ? 0 : (before?.runCount ?? 0);
}
