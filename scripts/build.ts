// Builds every published package into its `dist`: types by `tsc -b`, JavaScript by esbuild, and the page by Vite. Deletes types without a
// source, so that a renamed module is not published twice.
import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { existsSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundlePackages, publishedPackages } from './bundle-packages.ts';

const root = join(import.meta.dirname, '..');

/** Runs one tool of `node_modules`. Resolves with its exit code. */
function run(tool: string, args: readonly string[], options: SpawnSyncOptions): number {
  return (
    spawnSync(process.execPath, [join(root, 'node_modules', tool), ...args], { stdio: 'inherit', ...options })
      .status ?? 1
  );
}

const types = run('typescript/bin/tsc', ['-b', 'tsconfig.build.json'], { cwd: root });

for (const name of publishedPackages) {
  const [src, dist] = [join(root, 'packages', name, 'src'), join(root, 'packages', name, 'dist')];
  for (const output of globSync('**/*.d.ts', { cwd: dist })) {
    const stem = join(src, output.slice(0, -'.d.ts'.length));
    if (!['.ts', '.tsx', '.d.ts', '.js'].some((end) => existsSync(stem + end))) rmSync(join(dist, output));
  }
}

await bundlePackages();

const page = run('vite/bin/vite.js', ['build', '--logLevel', 'warn'], { cwd: join(root, 'packages/web') });

process.exitCode = types === 0 ? page : types;
