import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the browser bundle without the protocol stays under 25 kB minified and gzipped, and does not import Node modules', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('index.ts', import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['@agenthost/source'],
    external: ['@agenthost/protocol'],
  });
  const [bundle] = outputFiles;
  const { imports } = Object.values(metafile.outputs)[0] ?? { imports: [] };
  expect(new Set(imports.map(({ path }) => path))).toEqual(
    new Set(['@agenthost/protocol', '@agenthost/protocol/values']),
  );
  const size = gzipSync(bundle?.contents ?? '').length;
  expect(size).toBeLessThan(25_000);
  expect(bundle?.contents.length).toBeGreaterThan(10_000);
});
