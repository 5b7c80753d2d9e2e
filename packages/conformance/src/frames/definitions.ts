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
  // The published schemas before 0.5.2 and of 0.6.0 require it, and their hosts leave it out of their own actions.
  const { ActionEnvelope: envelope } = found;
  if (!isObject(envelope) || !Array.isArray(envelope['required'])) return found;
  const required = envelope['required'].filter((name) => name !== 'origin');
  return { ...found, ActionEnvelope: { ...envelope, required } };
}
