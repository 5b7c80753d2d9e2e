// Size of the code that a browser loads: entry points bundled from source, minified and gzipped.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { root } from './source-graph.ts';

/** Compressed size in kB. Modules in `external` are not counted. */
async function bundleKb(entry: string, external: string[] = []): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${entry}'`, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    // Without Node's modules, so that an import of one of them fails the bundle.
    platform: 'browser',
    conditions: ['@agenthost/source'],
    external,
    logLevel: 'silent',
  });
  return gzipSync(outputFiles[0]?.contents ?? '').byteLength / 1000;
}

test('the protocol without its validators stays below 40 kB', async () => {
  const kb = await bundleKb('@agenthost/protocol');
  expect(kb).toBeGreaterThan(1);
  expect(kb).toBeLessThan(40);
});

test('the client, rpc included and protocol not, stays below 30 kB', async () => {
  const kb = await bundleKb('@agenthost/client', ['@agenthost/protocol']);
  expect(kb).toBeGreaterThan(1);
  expect(kb).toBeLessThan(30);
});

test('the validators load in a browser too', async () => {
  expect(await bundleKb('@agenthost/protocol/validate')).toBeGreaterThan(1);
});
