import { pathToFileURL } from 'node:url';
import type { AutomationEventTrigger, AutomationTriggerDefinition, SessionState } from '@agenthost/protocol';
import { findConfigFault } from '../../config/values.ts';

/** The types of events that start runs [AUTO-7]. */
export const EVENT_TYPES: readonly AutomationTriggerDefinition[] = [
  {
    type: 'turn',
    title: 'A turn of a session ends',
    description: 'The chat is attached to the message of the run. Sessions of automations do not count.',
    events: [
      { id: 'completed', title: 'The turn is completed' },
      { id: 'failed', title: 'The turn fails' },
    ],
    configSchema: {
      type: 'object',
      properties: {
        folder: {
          type: 'string',
          title: 'Folder',
          description: 'Only sessions that work in this folder or below it: an absolute path',
        },
        agent: { type: 'string', title: 'Agent', description: 'Only sessions of this agent: its id' },
      },
    },
  },
];

/** A turn that has ended. */
export interface TurnEvent {
  readonly id: 'completed' | 'failed';
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
}

/** Why an event trigger cannot be saved; `undefined` if it can. */
export function findEventFault({ type, events, config = {} }: AutomationEventTrigger): string | undefined {
  const known = EVENT_TYPES.find((each) => each.type === type);
  if (known === undefined) return `type: this host has no events of type ${JSON.stringify(type)}`;
  if (events.length === 0) return 'events: expected at least one';
  const unknown = events.find(({ id }) => !known.events.some((each) => each.id === id));
  if (unknown !== undefined)
    return `events: expected ${known.events.map(({ id }) => id).join(' or ')}, got ${JSON.stringify(unknown.id)}`;
  const fault = findConfigFault(known.configSchema ?? { type: 'object', properties: {} }, config);
  if (fault !== undefined) return `config.${fault.key}: ${fault.problem}`;
  const { folder } = config;
  return typeof folder === 'string' && !folder.startsWith('/')
    ? 'config.folder: expected an absolute path'
    : undefined;
}

/** A valid trigger with the labels of the host. */
export function labelled(trigger: AutomationEventTrigger): AutomationEventTrigger {
  const known = EVENT_TYPES.find(({ type }) => type === trigger.type);
  if (known === undefined) return trigger;
  const { title, description, events } = known;
  return {
    ...trigger,
    title,
    ...(description === undefined ? {} : { description }),
    events: events.filter(({ id }) => trigger.events.some((each) => each.id === id)),
  };
}

/** Whether a trigger waits for such a turn of such a session. */
export function matches(
  { type, events, config = {} }: AutomationEventTrigger,
  { id }: Pick<TurnEvent, 'id'>,
  { provider, workingDirectories = [] }: Pick<SessionState, 'provider' | 'workingDirectories'>,
): boolean {
  const { folder, agent } = config;
  if (type !== 'turn' || !events.some((each) => each.id === id)) return false;
  if (agent !== undefined && agent !== provider) return false;
  if (typeof folder !== 'string') return true;
  const uri = pathToFileURL(folder).href.replace(/\/$/, '');
  return workingDirectories.some((each) => each === uri || each.startsWith(`${uri}/`));
}
