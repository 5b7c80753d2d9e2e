import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const limitBytes = 40_000;

function path(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

async function bundled() {
  const { outputFiles, metafile } = await build({
    entryPoints: [path('./index.ts')],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    metafile: true,
    write: false,
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  return { code, inputs: Object.entries(metafile.inputs) };
}

describe('the package in a browser', () => {
  it('is below 40 kB minified and gzipped, with every reducer in it', async () => {
    const { code } = await bundled();
    expect(Buffer.from(code).toString()).toContain('chatReducer');
    expect(gzipSync(code).length).toBeLessThan(limitBytes);
  });

  it('has no external imports, and includes no validators unless they are imported', async () => {
    const { inputs } = await bundled();
    expect(inputs.flatMap(([, { imports }]) => imports.filter(({ external }) => external))).toEqual([]);
    expect(inputs.map(([file]) => file).filter((file) => /node_modules|\/validate\//.test(file))).toEqual([]);
    expect(inputs.length).toBeGreaterThan(10);
  });

  it('declares no dependencies', () => {
    const manifest = JSON.parse(readFileSync(path('../package.json'), 'utf8'));
    expect([manifest.dependencies, manifest.peerDependencies]).toEqual([{}, undefined]);
  });
});
