import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** Builds the package for browsers, minified: what a page loads at its start. `external`: packages that stay imports. */
async function bundled(external: readonly string[] = []) {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('index.ts', import.meta.url))],
    bundle: true,
    splitting: true,
    outdir: 'bundle',
    absWorkingDir: import.meta.dirname,
    write: false,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['@agenthost/source'],
    external: [...external],
  });
  const { outputs } = metafile;
  const imports = new Set<string>();
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      // Code behind `import()` is loaded when it is needed.
      if (kind === 'dynamic-import') continue;
      if (next in outputs) load(next);
      else imports.add(next);
    }
  };
  load('bundle/index.js');
  const contents = Buffer.concat(
    outputFiles
      .filter(({ path }) => loaded.has(relative(import.meta.dirname, path)))
      .map((file) => file.contents),
  );
  return {
    imports,
    /** Files with code in the bundle. */
    files: [...loaded].flatMap((path) =>
      Object.entries(outputs[path]?.inputs ?? {}).flatMap(([input, { bytesInOutput }]) =>
        bytesInOutput > 0 ? [input] : [],
      ),
    ),
    size: contents.length,
    gzippedSize: gzipSync(contents).length,
  };
}

test('the browser bundle without the protocol stays under 30 kB minified and gzipped, and does not import Node modules', async () => {
  const { imports, size, gzippedSize } = await bundled(['@agenthost/protocol']);
  expect(imports).toEqual(new Set(['@agenthost/protocol', '@agenthost/protocol/values']));
  expect(gzippedSize).toBeLessThan(30_000);
  expect(size).toBeGreaterThan(10_000);
});

test('the browser bundle with everything stays under 42 kB minified and gzipped, without dialects and validators', async () => {
  const { imports, files, size, gzippedSize } = await bundled();
  expect(imports).toEqual(new Set());
  expect(files.filter((path) => /protocol\/src\/(dialects|validate)/.test(path))).toEqual([]);
  expect(files.some((path) => path.includes('protocol/src/chat/'))).toBe(true);
  expect(gzippedSize).toBeLessThan(42_000);
  expect(size).toBeGreaterThan(50_000);
});
