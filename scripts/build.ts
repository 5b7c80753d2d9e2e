// Builds every published package into its `dist`: runs `tsc -b`, copies the files of `src` that the compiler leaves out, and deletes
// outputs without a source, so that a renamed module is not published twice. Vite builds the page.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const packages = globSync('packages/*/tsconfig.build.json', { cwd: root }).map((path) =>
  join(root, dirname(path)),
);

const tsc = spawnSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'tsconfig.build.json'],
  {
    cwd: root,
    stdio: 'inherit',
  },
);

const page = join(root, 'packages/web');

for (const dir of packages.filter((dir) => dir !== page)) {
  const [src, dist] = [join(dir, 'src'), join(dir, 'dist')];
  for (const asset of globSync('**/*', { cwd: src, withFileTypes: true })) {
    const from = join(asset.parentPath, asset.name);
    if (!asset.isFile() || (from.endsWith('.ts') && !from.endsWith('.d.ts'))) continue;
    const to = join(dist, from.slice(src.length));
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
  }
  for (const output of globSync('**/*.{js,d.ts,js.map}', { cwd: dist })) {
    const stem = output.replace(/\.(d\.ts|js\.map|js)$/, '');
    const compiled = [`${stem}.ts`, `${stem}.tsx`];
    // Copied files have no source map. A map beside one is from a time when its source was compiled.
    const sources = output.endsWith('.map') ? compiled : [...compiled, `${stem}.js`, `${stem}.d.ts`];
    if (!sources.some((source) => existsSync(join(src, source)))) rmSync(join(dist, output));
  }
}

const vite = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'],
  {
    cwd: page,
    stdio: 'inherit',
  },
);

process.exitCode = tsc.status === 0 ? (vite.status ?? 1) : (tsc.status ?? 1);
