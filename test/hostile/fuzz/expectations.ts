import { Ajv, type ValidateFunction } from 'ajv';
import type { Case } from './cases.ts';
import { actionSchemas, requestSchemas, type Schema, type SchemaFile, schemaFile } from './schema-file.ts';

/** Decides by the published schemas, not by the host's own checks, whether the host must refuse a case. `false`: the host may accept it. */
export class Expectations {
  readonly #requests: ReadonlyMap<string, () => ValidateFunction>;
  readonly #actions: ReadonlyMap<string, () => ValidateFunction>;
  readonly #clientActions: ReadonlySet<string>;

  constructor(clientActions: readonly string[]) {
    this.#requests = checks(schemaFile('commands'), requestSchemas);
    this.#actions = checks(schemaFile('actions'), actionSchemas);
    this.#clientActions = new Set(clientActions);
  }

  mustBeRefused({ kind, frame }: Case): boolean {
    if (kind === 'oddity' || kind === 'notification') return true;
    const { method, params }: { method: unknown; params: unknown } = JSON.parse(frame);
    if (kind === 'request') {
      const check = this.#requests.get(String(method))?.();
      return check === undefined || !check(params);
    }
    if (typeof params !== 'object' || params === null || !('action' in params)) return true;
    const { action } = params;
    if (typeof action !== 'object' || action === null || !('type' in action)) return true;
    const type = String(action.type);
    const check = this.#actions.get(type)?.();
    return check === undefined || !check(action) || !this.#clientActions.has(type);
  }
}

function checks(
  file: SchemaFile,
  schemasOf: (file: SchemaFile) => ReadonlyMap<string, Schema>,
): ReadonlyMap<string, () => ValidateFunction> {
  const ajv = new Ajv({ strict: false });
  // Compiles each check and its parts on first use; all at once would take seconds.
  const found = schemasOf(file);
  ajv.addSchema({ $id: 'file', definitions: { ...file.definitions, ...named(found) } });
  const check = (name: string): ValidateFunction => {
    const compiled = ajv.getSchema(`file#/definitions/${PREFIX}${encodeURIComponent(escaped(name))}`);
    if (compiled === undefined) throw new Error(`no check for ${name}`);
    return compiled;
  };
  return new Map([...found.keys()].map((name) => [name, () => check(name)]));
}

const PREFIX = 'checked-';

/** Escapes a name for a JSON pointer. */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const named = (schemas: ReadonlyMap<string, Schema>): Record<string, Schema> =>
  Object.fromEntries([...schemas].map(([name, schema]) => [`${PREFIX}${name}`, schema]));
