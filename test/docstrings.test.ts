// Checks that every exported symbol of a library has a docstring, which users of the package read in their editor.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { packageEntries, root } from './source-graph.ts';

const LIBRARIES = ['rpc', 'protocol', 'client', 'host', 'agents'];

type Program = ReturnType<typeof parseSync>['program'];
type Statement = Program['body'][number];

interface Module {
  readonly body: readonly Statement[];
  /** Where docstrings end, in UTF-16 code units. */
  readonly docEnds: readonly number[];
  readonly text: string;
}

const modules = new Map<string, Module>();

function read(path: string): Module {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const module = parsed(readFileSync(join(root, path), 'utf8'));
  modules.set(path, module);
  return module;
}

function parsed(text: string): Module {
  const { program, comments } = parseSync('module.ts', text);
  const docs = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'));
  return { body: program.body, docEnds: docs.map(({ end }) => end), text };
}

/** Whether only white space lies between a docstring and this position. */
const hasDocBefore = ({ docEnds, text }: Module, start: number): boolean =>
  docEnds.some((end) => end <= start && text.slice(end, start).trim() === '');

/** The names that a declaration introduces. */
function namesOf(declaration: Statement): string[] {
  switch (declaration.type) {
    case 'VariableDeclaration':
      return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
    case 'TSDeclareFunction':
      return declaration.id === null ? [] : [declaration.id.name];
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return [declaration.id.name];
    default:
      return [];
  }
}

/** Undocumented declarations of `name` in a module or in the modules that it re-exports `name` from. Without `name`: of all exports. */
function undocumented(path: string, name?: string): string[] {
  const module = read(path);
  const wrong: string[] = [];
  const documented = new Set<string>();
  for (const statement of module.body) {
    const isExport = statement.type === 'ExportNamedDeclaration';
    const declaration = isExport ? statement.declaration : statement;
    if (declaration !== null && (isExport || name !== undefined)) {
      for (const declared of namesOf(declaration)) {
        if (name !== undefined && declared !== name) continue;
        // A type and a value of one name share a docstring, and so do overloads.
        if (hasDocBefore(module, statement.start)) documented.add(declared);
        else wrong.push(declared);
      }
    }
    if (isExport && statement.source !== null) {
      const target = join(dirname(path), statement.source.value);
      for (const { local, exported } of statement.specifiers) {
        const [from, as] = [nameIn(local), nameIn(exported)];
        if (name === undefined || as === name) wrong.push(...missing(statement.source.value, target, from));
      }
    }
    if (statement.type === 'ExportAllDeclaration' && name === undefined) {
      wrong.push(...missing(statement.source.value, join(dirname(path), statement.source.value)));
    }
  }
  return wrong
    .filter((each) => !documented.has(each))
    .map((each) => (each.includes(':') ? each : `${path}: ${each}`));
}

/** Undocumented exports behind a re-export. Exports of another package are checked in that package. */
const missing = (specifier: string, target: string, name?: string): string[] =>
  specifier.startsWith('.') ? undocumented(target, name) : [];

const nameIn = (node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string =>
  node.name ?? String(node.value);

const entries = [...packageEntries()].filter(([entry]) => LIBRARIES.includes(entry.split('/')[1] ?? ''));

test.each(entries)('every export of %s has a docstring', (_entry, path) => {
  expect(undocumented(path)).toEqual([]);
});

test('the check sees an export without a docstring, through a re-export too', () => {
  modules.set('x/index.ts', parsed("export { a, type B } from './x.ts';\nexport * from './y.ts';"));
  modules.set('x/x.ts', parsed('/** A. */\nexport const a = 1;\nexport interface B {}\n'));
  modules.set(
    'x/y.ts',
    parsed('// No docstring.\nexport const c = 1;\n/** D. */\nexport type D = 1;\nexport const D = 1;'),
  );
  expect(undocumented('x/index.ts')).toEqual(['x/x.ts: B', 'x/y.ts: c']);
});
