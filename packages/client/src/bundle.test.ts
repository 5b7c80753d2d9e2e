import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** Builds the package for browsers, minified. `external`: packages that stay imports. */
async function bundled(external: readonly string[] = []) {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('index.ts', import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['@agenthost/source'],
    external: [...external],
  });
  const { imports = [], inputs = {} } = Object.values(metafile.outputs)[0] ?? {};
  const contents = outputFiles[0]?.contents ?? new Uint8Array();
  return {
    imports: new Set(imports.map(({ path }) => path)),
    /** Files with code in the bundle. */
    files: Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    size: contents.length,
    gzippedSize: gzipSync(contents).length,
  };
}

test('the browser bundle without the protocol stays under 25 kB minified and gzipped, and does not import Node modules', async () => {
  const { imports, size, gzippedSize } = await bundled(['@agenthost/protocol']);
  expect(imports).toEqual(new Set(['@agenthost/protocol', '@agenthost/protocol/values']));
  expect(gzippedSize).toBeLessThan(25_000);
  expect(size).toBeGreaterThan(10_000);
});

test('the browser bundle with everything stays under 40 kB minified and gzipped, without dialects and validators', async () => {
  const { imports, files, size, gzippedSize } = await bundled();
  expect(imports).toEqual(new Set());
  expect(files.filter((path) => /protocol\/src\/(dialects|validate)/.test(path))).toEqual([]);
  expect(files.some((path) => path.includes('protocol/src/chat/'))).toBe(true);
  expect(gzippedSize).toBeLessThan(40_000);
  expect(size).toBeGreaterThan(50_000);
});
