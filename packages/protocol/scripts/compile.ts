import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { transformSync } from 'esbuild';
import { checkableDefinitions, type Reading } from './checkable.ts';
import { type Definitions, definition, reachable, refName, refTo, type Schema } from './json-schema.ts';
import { selfContained } from './self-contained.ts';
import { classify } from './unions.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Table → name → the definition to check by. */
type Tables = Record<string, Record<string, string>>;

/** Gives every schema that is looked up a definition of its own, unless it already refers to one. */
class Lookup {
  readonly definitions: Definitions;
  readonly tables: Tables = {};

  constructor(definitions: Definitions) {
    this.definitions = { ...definitions };
  }

  add(table: string, schemas: Record<string, Schema>): void {
    this.tables[table] = Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => {
        const referred = refName(schema);
        if (referred !== undefined) return [name, referred];
        const own = `${table}.${name}`;
        this.definitions[own] = schema;
        return [name, own];
      }),
    );
  }
}

function pick(requests: Record<string, { params: Schema; result: Schema }>, part: 'params' | 'result') {
  return Object.fromEntries(Object.entries(requests).map(([method, request]) => [method, request[part]]));
}

/**
 * A client's messages are read strictly, with two exceptions that have an answer of their own: a dispatched action is
 * checked by its own type and echoed as rejected [ACT-3], and malformed versions in a list are skipped [CONN-1]. Attachments of a kind
 * that is newer than this host pass as well: the host tells agents their names.
 */
function strictLookup(vocabulary: Vocabulary): Lookup {
  const lookup = new Lookup(vocabulary.definitions);
  const dispatch = definition(lookup.definitions, 'DispatchActionParams');
  const required = dispatch.required?.filter((field) => field !== 'action') ?? [];
  const withAction = { ...dispatch.properties, action: {} };
  lookup.definitions.DispatchActionParams = { ...dispatch, required, properties: withAction };
  const initialize = definition(lookup.definitions, 'InitializeParams');
  const withVersions = { ...initialize.properties, protocolVersions: { type: 'array' } };
  lookup.definitions.InitializeParams = { ...initialize, properties: withVersions };
  lookup.definitions.MessageAttachment = openUnion(lookup.definitions, 'MessageAttachment', ['label']);
  return lookup;
}

/** The types that a host checks. A host loads the validators of no other type. */
function clientLookup(vocabulary: Vocabulary): Lookup {
  const lookup = strictLookup(vocabulary);
  lookup.add('actions', vocabulary.actions);
  lookup.add('params', { ...pick(vocabulary.clientRequests, 'params'), ...vocabulary.clientNotifications });
  return lookup;
}

function stateLookup(vocabulary: Vocabulary): Lookup {
  const lookup = strictLookup(vocabulary);
  lookup.add('states', vocabulary.states);
  lookup.add('clientResults', pick(vocabulary.hostRequests, 'result'));
  return lookup;
}

/** A union with a discriminating field whose unknown members need only that field and these texts. */
function openUnion(definitions: Definitions, name: string, texts: readonly string[]): Schema {
  const union = classify(definition(definitions, name).anyOf ?? [], definitions);
  if (union.by !== 'tag') throw new Error(`${name} is no union by a tag`);
  const { tag, members } = union;
  return {
    type: 'object',
    required: [tag, ...texts],
    properties: Object.fromEntries([tag, ...texts].map((field) => [field, { type: 'string' }])),
    allOf: members.map(({ values, schema }) => ({
      if: { properties: { [tag]: { enum: values } } },
      then: schema,
    })),
  };
}

/**
 * Messages of a host may be newer than their reader: states, turns and actions are checked by the code that
 * reads them.
 */
function lenientLookup(vocabulary: Vocabulary): Lookup {
  const lookup = new Lookup(vocabulary.definitions);
  const opaque: Schema = { type: 'object' };
  lookup.definitions.StateAction = {
    ...opaque,
    required: ['type'],
    properties: { type: { type: 'string' } },
  };
  lookup.definitions.Turn = { ...opaque, required: ['id'], properties: { id: { type: 'string' } } };
  const snapshot = definition(lookup.definitions, 'Snapshot');
  lookup.definitions.Snapshot = { ...snapshot, properties: { ...snapshot.properties, state: opaque } };
  lookup.add('notifications', vocabulary.hostNotifications);
  lookup.add('hostParams', pick(vocabulary.hostRequests, 'params'));
  lookup.add('results', pick(vocabulary.clientRequests, 'result'));
  return lookup;
}

/** Definitions that contain themselves, so that their checks recurse as deep as the value nests. */
function recursive(table: Record<string, string>, definitions: Definitions): string[] {
  const cyclic = Object.keys(definitions).filter((name) =>
    reachable(definition(definitions, name), definitions).has(name),
  );
  return Object.keys(table).filter((name) => {
    const target = table[name] ?? '';
    const needs = reachable(refTo(target), definitions);
    return cyclic.some((inner) => needs.has(inner));
  });
}

const banner = '// Generated by `npm run generate -w @agenthost/protocol`. Do not edit.';

/**
 * Node keeps the source of loaded modules in memory, so the output is small. It is JavaScript that the build
 * copies, because tsc would print TypeScript at three times the size.
 */
function minified(code: string): string {
  const { code: small } = transformSync(code, {
    banner,
    format: 'esm',
    minifyWhitespace: true,
    minifyIdentifiers: true,
    // Minified syntax is 4 % smaller here, but 14 % larger in a browser after another minifier and gzip.
    minifySyntax: false,
  });
  // One check per line, for diffs and editors.
  return small.replaceAll('}function ', '}\nfunction ');
}

/** Type declarations of the tables of a compiled check. */
function declarations(tables: readonly string[]): string {
  const perTable = tables.map(
    (table) => `export declare const ${table}: Record<string, Check>;
/** Those whose values nest without a bound of the schema's own. */
export declare const ${table}Nesting: string[];
`,
  );
  return `${banner}
import type { Check, Fault } from '../fault.ts';
/** The problem that the last failed check found. */
export declare function lastFaults(): Fault[];
${perTable.join('')}`;
}

/** The checks of one kind as JavaScript: a table per lookup, with one function per name. */
function compile(lookup: Lookup, reading: Reading): string {
  const ajv = new Ajv({
    code: { source: true, esm: true, lines: true },
    discriminator: true,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allowUnionTypes: true,
    // Error sentences are built from keyword and parameters, so that all read alike and none repeats the
    // value.
    messages: false,
    inlineRefs: false,
  });
  const definitions = checkableDefinitions(lookup.definitions, reading);
  ajv.addSchema({ $id: reading, definitions });
  const names = [
    ...new Set(Object.values(lookup.tables).flatMap((table) => Object.values(table))),
  ].toSorted();
  const exported = names.map(
    (name, at) => [`check${at}`, reading + encodeURI(refTo(name).$ref ?? '')] as const,
  );
  const code = standalone.default(ajv, Object.fromEntries(exported));
  const functions = new Map(
    [...code.matchAll(/^export const check(\d+) = (\w+);$/gm)].map(([, at, check]) => [
      names[Number(at)],
      check,
    ]),
  );
  const tables = Object.entries(lookup.tables).flatMap(([table, entries]) => [
    `export const ${table} = {`,
    ...Object.entries(entries).map(([name, target]) => `${JSON.stringify(name)}: ${functions.get(target)},`),
    '};',
    `export const ${table}Nesting = ${JSON.stringify(recursive(entries, definitions))};`,
  ]);
  return minified(`${selfContained(code)}\n${tables.join('\n')}`);
}

/** The generated files: name → content. */
export function compiledFiles(vocabulary: Vocabulary): Map<string, string> {
  const files = [
    ['client', 'strict', clientLookup(vocabulary)],
    ['state', 'strict', stateLookup(vocabulary)],
    ['host', 'lenient', lenientLookup(vocabulary)],
  ] as const;
  return new Map(
    files.flatMap(([name, reading, lookup]) => [
      [`${name}.js`, compile(lookup, reading)],
      [`${name}.d.ts`, declarations(Object.keys(lookup.tables))],
    ]),
  );
}
