// Writes the JavaScript of every published package into its `dist`. A start of the program then loads tens of files instead of hundreds.
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** Modules that are started as programs, by the name of their package's folder. The other entries are those of `exports`. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  agents: ['src/acp/client-tools/pipe.ts'],
  cli: ['src/main.ts'],
  host: ['src/pty/keeper/main.ts'],
};

/** Stands for the way from an output file to `dist`, which is known when all outputs are. */
const TO_DIST = '@to-dist@';

/** Names of the folders in `packages` that are published. */
export const publishedPackages: readonly string[] = globSync('packages/*/tsconfig.build.json', {
  cwd: root,
}).map((path) => path.split(/[\\/]/)[1] ?? '');

/**
 * Lets a module find the files beside it: its code may stand in a chunk of another folder, but `import.meta` refers to the place in
 * `dist` that the module alone would have.
 */
function ownPlaces(src: string): Plugin {
  return {
    name: 'own-places',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (!text.includes('import.meta.')) return undefined;
        const place = relative(src, path).replaceAll('\\', '/').replace(/ts$/, 'js');
        const contents = text.replaceAll(/import\.meta\.(url|dirname)/g, (_, member: string) =>
          member === 'url'
            ? `new URL('${TO_DIST}/${place}', import.meta.url).href`
            : `(import.meta.dirname + '/${TO_DIST}/${posix.dirname(place)}')`,
        );
        return { contents, loader: 'ts' };
      });
    },
  };
}

/** Written beside the file first, so that a program that starts meanwhile never reads half of it. */
function writeWhole(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(dirname(file), { recursive: true });
  const half = `${file}.${randomUUID()}`;
  writeFileSync(half, text);
  renameSync(half, file);
}

async function bundlePackage(name: string): Promise<void> {
  const dir = join(root, 'packages', name);
  const [src, dist] = [join(dir, 'src'), join(dir, 'dist')];
  const { exports = {} }: { exports?: Record<string, string | Record<string, string>> } = JSON.parse(
    readFileSync(join(dir, 'package.json'), 'utf8'),
  );
  const sources = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [] : (target['@agenthost/source'] ?? []),
  );
  const { outputFiles } = await build({
    entryPoints: [...sources, ...(PROGRAMS[name] ?? [])].map((path) => join(dir, path)),
    outdir: dist,
    outbase: src,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'es2023',
    sourcemap: true,
    legalComments: 'inline',
    plugins: [ownPlaces(src)],
    write: false,
    logLevel: 'warning',
  });
  for (const { path, text } of outputFiles) {
    writeWhole(path, text.replaceAll(TO_DIST, relative(dirname(path), dist).replaceAll('\\', '/') || '.'));
  }
  for (const asset of globSync('**/*', { cwd: src, withFileTypes: true })) {
    const from = join(asset.parentPath, asset.name);
    if (!asset.isFile() || /(?:\.[cm]?[jt]sx?)$/.test(from.replace(/\.d\.ts$/, '')) || name === 'web')
      continue;
    writeWhole(join(dist, relative(src, from)), readFileSync(from, 'utf8'));
  }
  const written = new Set(outputFiles.map(({ path }) => path));
  for (const output of globSync('**/*.{js,js.map}', { cwd: dist, exclude: ['page/**'] })) {
    if (!written.has(join(dist, output))) rmSync(join(dist, output), { force: true });
  }
}

/** A digest of names, sizes and times of all sources. */
function sourcesDigest(): string {
  const hash = createHash('sha256');
  for (const path of globSync(
    ['packages/*/src/**/*', 'packages/*/package.json', 'scripts/bundle-packages.ts'],
    {
      cwd: root,
    },
  ).toSorted()) {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** Writes the JavaScript of all packages, unless it is there already. Types are written by the compiler. */
export async function bundlePackages(): Promise<void> {
  const mark = join(root, '.cache/bundled');
  const digest = sourcesDigest();
  const isThere = publishedPackages.every((name) => existsSync(join(root, 'packages', name, 'dist')));
  if (isThere && existsSync(mark) && readFileSync(mark, 'utf8') === digest) return;
  await Promise.all(publishedPackages.map(bundlePackage));
  writeWhole(mark, digest);
}
