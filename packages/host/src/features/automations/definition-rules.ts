import type { AutomationDefinition, AutomationTrigger } from '@agenthost/protocol';
import { compileSchedule, InvalidSchedule } from '@agenthost/protocol/schedule';
import { type Caller, type Rejection, reject } from '../../handler-port/channel-module.ts';
import { findEventFault } from './events.ts';

/**
 * Why a definition cannot be saved; `undefined` if it can [AUTO-3] [AUTO-4] [AUTO-5] [AUTO-12]. Its session is checked apart. Triggers that were saved
 * before are not checked again [AUTO-7].
 */
export function checkDefinition(
  { message, session, triggers, disableConditions = [] }: AutomationDefinition,
  minIntervalMinutes: number,
  {
    isAdmin,
    areTriggersNew,
    takesPlugins,
  }: Pick<Caller, 'isAdmin'> & { readonly areTriggersNew: boolean; readonly takesPlugins: boolean },
): Rejection | undefined {
  if (message.origin.kind !== 'automation')
    return reject(
      'invalidAutomation',
      `message.origin.kind: expected automation, got ${message.origin.kind}`,
    );
  if (!takesPlugins && (session.customizations ?? []).length > 0)
    return reject('notSupported', 'This host takes no plugins for automations');
  if (session.config?.['approvals'] === 'all' && !isAdmin)
    return reject('permissionDenied', '`approvals: all` takes a token of scope admin', {
      kind: 'scope',
      needed: 'admin',
      held: 'interact',
      asked: 'automation',
      setting: 'approvals',
    });
  const checked = areTriggersNew ? triggers : [];
  const ids = triggers.map(({ id }) => id);
  if (new Set(ids).size < ids.length)
    return reject('invalidAutomation', 'triggers: two of them have the same id');
  for (const [index, trigger] of checked.entries()) {
    const problem = problemOf(trigger, minIntervalMinutes);
    if (problem !== undefined) return reject('invalidAutomation', `triggers[${index}]: ${problem}`);
  }
  const kinds = disableConditions.map(({ kind }) => kind);
  if (new Set(kinds).size < kinds.length)
    return reject('invalidAutomation', 'disableConditions: each kind may occur once');
  for (const condition of disableConditions)
    if (condition.kind === 'afterDate' && Number.isNaN(Date.parse(condition.date)))
      return reject(
        'invalidAutomation',
        `disableConditions: expected an ISO 8601 time, got ${JSON.stringify(condition.date)}`,
      );
  return undefined;
}

function problemOf(trigger: AutomationTrigger, minIntervalMinutes: number): string | undefined {
  if (trigger.kind === 'event') return findEventFault(trigger);
  try {
    return compileSchedule(trigger.schedule).isDenserThan(minIntervalMinutes)
      ? `schedule: occurs more often than every ${minIntervalMinutes} minutes`
      : undefined;
  } catch (error) {
    if (error instanceof InvalidSchedule) return `schedule: ${error.message}`;
    throw error;
  }
}
