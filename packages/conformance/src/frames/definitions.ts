import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isObject } from '../recording/entry.ts';
import { SchemaCheck } from './schema.ts';

const FILES = ['actions', 'commands', 'notifications', 'state', 'errors'];

/** The version of the schemas that come with this program. */
const OWN_VERSION = '1.0.0';

/**
 * The schemas of a version: those of 1.x come with this program; others are read from `<folder>/<version>/schema.json`
 * where a folder is given. `undefined`: there are none, and only structural rules are checked.
 */
export function schemaOf(version: string, folder?: string): SchemaCheck | undefined {
  const line = version.startsWith('1.') ? OWN_VERSION : version;
  const file = folder === undefined ? undefined : join(folder, line, 'schema.json');
  if (file !== undefined && existsSync(file))
    return new SchemaCheck(definitionsIn(readFileSync(file, 'utf8')));
  return line === OWN_VERSION ? new SchemaCheck(ownDefinitions()) : undefined;
}

function ownDefinitions(): Readonly<Record<string, unknown>> {
  const { resolve } = createRequire(import.meta.url);
  return Object.assign(
    {},
    ...FILES.map((name) =>
      definitionsIn(readFileSync(resolve(`@agenthost/protocol/schema/${name}.json`), 'utf8')),
    ),
  );
}

function definitionsIn(text: string): Readonly<Record<string, unknown>> {
  const schema: unknown = JSON.parse(text);
  const found = isObject(schema) ? (schema['definitions'] ?? schema['$defs']) : undefined;
  if (!isObject(found)) return {};
  return Object.fromEntries(
    Object.entries(found).map(([name, definition]) => [name, withoutWronglyRequired(name, definition)]),
  );
}

/**
 * Members that may be undefined, and that the published schemas before 0.5.2 and of 0.6.0 require all the same. Hosts
 * of these versions leave them out.
 */
const WRONGLY_REQUIRED: Readonly<Record<string, string>> = {
  ActionEnvelope: 'origin',
  Turn: 'usage',
  ActiveTurn: 'usage',
  ChangesetOperationsChangedAction: 'operations',
  SessionActivityChangedAction: 'activity',
  SessionChangesetsChangedAction: 'changesets',
  SessionMetaChangedAction: '_meta',
};

function withoutWronglyRequired(name: string, definition: unknown): unknown {
  if (!Object.hasOwn(WRONGLY_REQUIRED, name) || !isObject(definition)) return definition;
  const { required } = definition;
  if (!Array.isArray(required)) return definition;
  return { ...definition, required: required.filter((each) => each !== WRONGLY_REQUIRED[name]) };
}
