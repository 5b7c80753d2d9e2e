// Size of the code that a browser loads: entry points bundled from source, minified and gzipped.
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { root } from './source-graph.ts';

/** Compressed size in kB of what an import loads at once. Modules in `external`, and modules that are loaded on demand, are not counted. */
async function bundleKb(entry: string, external: string[] = []): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export * from '${entry}'`, resolveDir: root },
    bundle: true,
    splitting: true,
    outdir: 'out',
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    // Without Node's modules, so that an import of one of them fails the bundle.
    platform: 'browser',
    conditions: ['@agenthost/source'],
    external,
    logLevel: 'silent',
  });
  const sizes = new Map(
    outputFiles.map(({ path, contents }) => [basename(path), gzipSync(contents).byteLength]),
  );
  const loaded = new Set<string>();
  const load = (path: string): void => {
    const output = metafile.outputs[path];
    if (output === undefined || loaded.has(path)) return;
    loaded.add(path);
    for (const each of output.imports) if (each.kind === 'import-statement') load(each.path);
  };
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs))
    if (entryPoint === '<stdin>') load(path);
  return (
    Array.from(loaded, (path) => sizes.get(basename(path)) ?? 0).reduce((sum, size) => sum + size, 0) / 1000
  );
}

test('the protocol without its validators stays below 40 kB', async () => {
  const kb = await bundleKb('@agenthost/protocol');
  expect(kb).toBeGreaterThan(1);
  expect(kb).toBeLessThan(40);
});

test('the client, rpc included and protocol not, stays below 31 kB', async () => {
  const kb = await bundleKb('@agenthost/client', ['@agenthost/protocol']);
  expect(kb).toBeGreaterThan(1);
  expect(kb).toBeLessThan(31);
});

test('the validators load in a browser too', async () => {
  expect(await bundleKb('@agenthost/protocol/validate')).toBeGreaterThan(1);
});
