// Checks from source which package and folder imports which, type imports included.
import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  cyclesOf,
  isTest,
  packageEntries,
  reachFrom,
  readModules,
  root,
  specifiersOf,
  workspaceOf,
} from './source-graph.ts';

const modules = readModules();
const shipped = [...modules.values()].filter(
  ({ path }) => /^packages\/[^/]+\/(?:src|bin)\//.test(path) && !isTest(path),
);

/** The packages that each package may import. In the CLI only `serve` may start a host. */
const PACKAGE_LAW: Record<string, readonly string[]> = {
  'packages/rpc': [],
  'packages/protocol': [],
  'packages/client': ['packages/rpc', 'packages/protocol'],
  'packages/host': ['packages/rpc', 'packages/protocol'],
  'packages/agents': ['packages/host', 'packages/protocol'],
  'packages/conformance': ['packages/rpc', 'packages/protocol'],
  'packages/cli': ['packages/client', 'packages/conformance', 'packages/protocol'],
  'packages/web': ['packages/client', 'packages/protocol'],
};
const SERVE_LAW = ['packages/host', 'packages/agents', 'packages/web'];

/** Folders of the host from the bottom up: each may import those before it, and itself. */
const HOST_ORDER = [
  'lib',
  'journal',
  'config',
  'sync',
  'agents',
  'tls',
  'auth',
  'telemetry',
  'pty',
  'workspace',
  'handler-port',
  'presence',
  'wire',
  'terminals',
  'client-tools',
  'approvals',
  'turns',
  'sessions',
  'previews',
  'gateway',
  'features',
  'main',
];

/** The top folder of a path in the host's sources; `index` for files outside a folder. */
function hostFolder(path: string): string | undefined {
  const inside = /^packages\/host\/src\/(.+)$/.exec(path)?.[1];
  return inside?.includes('/') === false ? 'index' : inside?.split('/')[0];
}

/** The feature's name in `features/<name>/…`. */
function featureOf(path: string): string | undefined {
  return /^packages\/host\/src\/features\/([^/]+)\//.exec(path)?.[1];
}

/** All imports between shipped modules of the repository, as `from → to`. */
const edges = shipped.flatMap(({ path, imports }) =>
  imports.flatMap(({ target }) => (target === undefined ? [] : [{ from: path, to: target }])),
);
const show = ({ from, to }: { from: string; to: string }) => `${from} → ${to}`;

describe('packages', () => {
  test('import only the packages below them', () => {
    const wrong = edges.filter(({ from, to }) => {
      const [source, target] = [workspaceOf(from), workspaceOf(to)];
      if (source === target) return false;
      const isServe = /^packages\/cli\/src\/serve(\/|[.-])/.test(from);
      return !(PACKAGE_LAW[source]?.includes(target) || (isServe && SERVE_LAW.includes(target)));
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test('agents import only the provider entry of the host', () => {
    const wrong = shipped
      .filter(({ path }) => path.startsWith('packages/agents/'))
      .flatMap(({ path, imports }) => imports.map(({ specifier }) => ({ from: path, to: specifier })))
      .filter(({ to }) => to.startsWith('@agenthost/host') && to !== '@agenthost/host/agent');
    expect(wrong.map(show)).toEqual([]);
  });

  test('are all covered by the law', () => {
    const unknown = new Set(
      shipped.map(({ path }) => workspaceOf(path)).filter((name) => !(name in PACKAGE_LAW)),
    );
    expect([...unknown]).toEqual([]);
  });

  test('reach each other by name and through an entry point, never by path', () => {
    const entries = packageEntries();
    const wrong = [...modules.values()].flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier, target }) =>
          specifier.startsWith('@agenthost/')
            ? !entries.has(specifier)
            : target !== undefined &&
              specifier.startsWith('.') &&
              workspaceOf(path).startsWith('packages/') &&
              workspaceOf(target) !== workspaceOf(path),
        )
        .map(({ specifier }) => `${path} → ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  test.each(Object.keys(PACKAGE_LAW).filter((folder) => existsSync(join(root, folder))))(
    '%s declares exactly those that it imports',
    (folder) => {
      const imported = shipped
        .filter(({ path }) => workspaceOf(path) === folder)
        .flatMap(({ imports }) => imports.map(({ specifier }) => specifier.split('/').slice(0, 2).join('/')))
        .filter((name) => name.startsWith('@agenthost/'));
      const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      // The page is a bundle that contains what it imports.
      const field = folder === 'packages/web' ? 'devDependencies' : 'dependencies';
      const declared = Object.keys(manifest[field] ?? {}).filter((name) => name.startsWith('@agenthost/'));
      expect(declared.toSorted()).toEqual([...new Set(imported)].toSorted());
    },
  );

  test('never import the testkit outside tests and benchmarks', () => {
    const wrong = [...modules.values()]
      .filter(({ path }) => !isTest(path) && !path.startsWith('bench/'))
      .flatMap(({ path, imports }) => imports.map(({ specifier }) => ({ from: path, to: specifier })))
      .filter(({ to }) => to.startsWith('@agenthost/testkit') || to.includes('testkit/'));
    expect(wrong.map(show)).toEqual([]);
  });

  test('have no cycle of imports between files, tests included', () => {
    expect(cyclesOf(modules)).toEqual([]);
  });
});

describe('code for browsers', () => {
  const external = (path: string) =>
    (modules.get(path)?.imports ?? []).filter(
      ({ specifier, target }) => target === undefined && specifier !== '',
    );

  test('protocol imports nothing but itself', () => {
    const wrong = shipped
      .filter(({ path }) => path.startsWith('packages/protocol/'))
      .flatMap(({ path }) => external(path).map(({ specifier }) => `${path} → ${specifier}`));
    expect(wrong).toEqual([]);
  });

  test.each(['@agenthost/rpc', '@agenthost/rpc/websocket', '@agenthost/rpc/memory', '@agenthost/client'])(
    '%s reaches neither ws nor a module of Node',
    (entry) => {
      const start = packageEntries().get(entry) ?? '';
      expect(modules.has(start), `${entry} has no source`).toBe(true);
      const wrong = reachFrom(modules, start).flatMap(({ path, chain }) =>
        external(path)
          .filter(({ specifier }) => specifier === 'ws' || isBuiltin(specifier))
          .map(({ specifier }) => [...chain, specifier].join(' → ')),
      );
      expect(wrong).toEqual([]);
    },
  );
});

describe('inside the host', () => {
  test('a feature never imports another feature', () => {
    const wrong = edges.filter(({ from, to }) => {
      const [source, target] = [featureOf(from), featureOf(to)];
      return source !== undefined && target !== undefined && source !== target;
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test('a feature is a folder whose feature.ts exports one function and its types', () => {
    const folders = new Set(shipped.flatMap(({ path }) => featureOf(path) ?? []));
    const wrong = [...folders].filter((name) => {
      const path = join(root, `packages/host/src/features/${name}/feature.ts`);
      const source = existsSync(path) ? readFileSync(path, 'utf8') : '';
      const values = [...source.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)];
      return values.length !== 1 || values[0]?.[1]?.endsWith('Feature') !== true;
    });
    expect(wrong).toEqual([]);
  });

  test('only main/core.ts, the list of features, imports features, and only their feature.ts', () => {
    const wrong = edges.filter(({ from, to }) => {
      if (featureOf(to) === undefined || featureOf(from) === featureOf(to)) return false;
      return from !== 'packages/host/src/main/core.ts' || !to.endsWith('/feature.ts');
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test('folders import only the folders below them', () => {
    const wrong = edges.filter(({ from, to }) => {
      const [source, target] = [hostFolder(from), hostFolder(to)];
      if (source === undefined || target === undefined || source === 'index' || source === target)
        return false;
      return !(HOST_ORDER.indexOf(target) < HOST_ORDER.indexOf(source)) || !HOST_ORDER.includes(target);
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test('every folder has a place in the order', () => {
    const folders = new Set(shipped.flatMap(({ path }) => hostFolder(path) ?? []));
    expect([...folders].filter((folder) => folder !== 'index' && !HOST_ORDER.includes(folder))).toEqual([]);
  });

  test('only main names an implementation of a port', () => {
    const implementationOf = (path: string): string | undefined =>
      /^packages\/host\/src\/(journal\/(?:sqlite|memory)|pty\/(?:node-pty|keeper))/.exec(path)?.[1];
    const wrong = edges.filter(({ from, to }) => {
      const [source, target] = [implementationOf(from), implementationOf(to)];
      if (target === undefined || source === target) return false;
      // The parts of the pty port have no folders of their own yet.
      const isOfPty = target.startsWith('pty/') && hostFolder(from) === 'pty';
      return !isOfPty && !['main', 'index'].includes(hostFolder(from) ?? '');
    });
    expect(wrong.map(show)).toEqual([]);
  });
});

describe('the reading of sources', () => {
  test('sees static, type, dynamic, side-effect and re-exporting imports, and type queries', () => {
    const text = [
      "import a from 'a'; import type { B } from 'b'; import 'c'; export * from 'd';",
      "export type { E } from 'e'; const f = import('f'); type G = import('g').G; // import 'not'",
    ].join('\n');
    expect(specifiersOf('x.ts', text).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  test('finds a cycle through three files once, and an import of itself', () => {
    const file = (path: string, ...targets: string[]) =>
      [path, { path, text: '', imports: targets.map((target) => ({ specifier: target, target })) }] as const;
    const graph = new Map([file('a', 'b'), file('b', 'c'), file('c', 'a'), file('d', 'a'), file('e', 'e')]);
    expect(cyclesOf(graph).map((cycle) => cycle.toSorted())).toEqual([['a', 'b', 'c'], ['e']]);
  });
});
