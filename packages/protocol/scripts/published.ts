import { type Definitions, definition, reachable, refTo, type Schema } from './json-schema.ts';
import type { Vocabulary } from './vocabulary.ts';

const DRAFT = 'http://json-schema.org/draft-07/schema#';

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, sorted(child)]));
}

/** A self-contained schema file with every definition that it needs and sorted keys. */
function file(title: string, schema: Schema, definitions: Definitions): string {
  const needed = [...reachable(schema, definitions)];
  const own = Object.fromEntries(needed.map((name) => [name, definition(definitions, name)]));
  const whole = { $schema: DRAFT, title, ...schema, definitions: own };
  return `${JSON.stringify(sorted(whole), undefined, 2)}\n`;
}

/** The published schema files: name → content. */
export function publishedFiles(vocabulary: Vocabulary): Map<string, string> {
  const { definitions, states } = vocabulary;
  const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties });
  const commands = object({
    clientToHost: refTo('ClientToHostRequests'),
    hostToClient: refTo('HostToClientRequests'),
  });
  const notifications = object({
    clientToHost: refTo('ClientToHostNotifications'),
    hostToClient: refTo('HostToClientNotifications'),
  });
  return new Map([
    ['actions.json', file('Actions', refTo('StateAction'), definitions)],
    ['state.json', file('States of channels', { anyOf: Object.values(states) }, definitions)],
    ['commands.json', file('Requests by direction and method', commands, definitions)],
    ['notifications.json', file('Notifications by direction and method', notifications, definitions)],
    ['errors.json', file('Data of errors by code', refTo('ErrorDataMap'), definitions)],
  ]);
}
