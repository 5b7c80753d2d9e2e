import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parseSync } from 'oxc-parser';

/** The repository's root folder. */
export const root = resolve(import.meta.dirname, '..');

/** One import of a module: static, dynamic, re-export or type query. Types count like values. */
export interface Import {
  readonly specifier: string;
  /** The imported source file, relative to the root. Undefined for modules outside the repository. */
  readonly target: string | undefined;
}

/** A source file and its imports. `path` is relative to the root, with `/`. */
export interface SourceModule {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

type Modules = ReadonlyMap<string, SourceModule>;

const SOURCE_GLOBS = [
  'packages/*/{src,test,bin,scripts}/**/*.{ts,tsx,js}',
  'bench/**/*.ts',
  'test/**/*.ts',
  'scripts/**/*.ts',
];

/** Whether only tests load a file. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || /^test\/|^packages\/[^/]+\/test\/|^packages\/testkit\//.test(path);
}

/** The workspace folder of a path: `packages/host`, `bench`, `test`, `scripts`. */
export function workspaceOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  return first === 'packages' ? `${first}/${second}` : first;
}

/** Paths of all sources, generated ones included, relative to the root. */
export function sourcePaths(): string[] {
  return globSync(SOURCE_GLOBS, { cwd: root })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !/(^|\/)(dist|node_modules|\.agents)\//.test(path))
    .toSorted();
}

/** All import specifiers of a text. */
export function specifiersOf(path: string, text: string): string[] {
  const { module, errors } = parseSync(path, text);
  const error = errors.find(({ severity }) => severity === 'Error');
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const found = new Set<string>();
  for (const { moduleRequest } of module.staticImports) found.add(moduleRequest.value);
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest } of entries) if (moduleRequest !== null) found.add(moduleRequest.value);
  }
  for (const match of text.matchAll(/\bimport\(\s*(['"])([^'"]+)\1/g)) found.add(match[2] ?? '');
  return [...found];
}

/** Reads the sources of `exports` of every workspace package: `@agenthost/rpc/stdio` → `packages/rpc/src/stdio.ts`. */
export function packageEntries(): Map<string, string> {
  const entries = new Map<string, string>();
  for (const manifest of globSync('packages/*/package.json', { cwd: root })) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8'));
    for (const [subpath, target] of Object.entries<Record<string, string>>(exports)) {
      const source = target['@agenthost/source'];
      if (source !== undefined)
        entries.set(join(name, subpath), join(dirname(manifest), source).split(sep).join('/'));
    }
  }
  return entries;
}

/** Parses every source once. The type check finds imports of missing files. */
export function readModules(): Modules {
  const entries = packageEntries();
  const modules = new Map<string, SourceModule>();
  for (const path of sourcePaths()) {
    const text = readFileSync(join(root, path), 'utf8');
    const imports = specifiersOf(path, text).map((specifier): Import => {
      if (!specifier.startsWith('.')) return { specifier, target: entries.get(specifier) };
      const target = relative(root, resolve(root, dirname(path), specifier));
      return { specifier, target: target.split(sep).join('/') };
    });
    modules.set(path, { path, text, imports });
  }
  return modules;
}

/** Each cycle of imports once, as the paths along it (Tarjan's strongly connected components). */
export function cyclesOf(modules: Modules): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (path: string): number => {
    const index = order.size;
    order.set(path, index);
    low.set(path, index);
    stack.push(path);
    for (const { target } of modules.get(path)?.imports ?? []) {
      if (target === undefined || !modules.has(target)) continue;
      if (target === path) cycles.push([path]);
      if (!order.has(target)) low.set(path, Math.min(low.get(path) ?? index, visit(target)));
      else if (stack.includes(target))
        low.set(path, Math.min(low.get(path) ?? index, order.get(target) ?? index));
    }
    if (low.get(path) === index) {
      const component = stack.splice(stack.indexOf(path));
      if (component.length > 1) cycles.push(component);
    }
    return low.get(path) ?? index;
  };
  for (const path of modules.keys()) if (!order.has(path)) visit(path);
  return cycles;
}

/** All modules that a module imports directly or indirectly, each with the chain of imports. */
export function reachFrom(modules: Modules, start: string): { path: string; chain: string[] }[] {
  const seen = new Map<string, string[]>([[start, [start]]]);
  for (const [path, chain] of seen) {
    for (const { target } of modules.get(path)?.imports ?? []) {
      if (target !== undefined && !seen.has(target)) seen.set(target, [...chain, target]);
    }
  }
  return [...seen].map(([path, chain]) => ({ path, chain }));
}
