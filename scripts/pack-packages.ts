// The tarballs that `npm publish` would publish, and an installation of them as users get it.
import { execFile, execFileSync } from 'node:child_process';
import { globSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publishedPackages } from './bundle-packages.ts';

const root = join(import.meta.dirname, '..');
const INSTALL_LIMIT_MS = 240_000;

/** A package as npm packs it. */
export interface PackedPackage {
  readonly name: string;
  /** Absolute path of the tarball. */
  readonly file: string;
}

/** Packs every published package into `folder`, in the order of `publishedPackages`. Throws if npm packs none for a package. */
export function packPackages(folder: string): PackedPackage[] {
  const packed: { readonly name: string; readonly filename: string }[] = JSON.parse(
    execFileSync(
      'npm',
      [
        ...['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
        ...publishedPackages.map((name) => `--workspace=packages/${name}`),
      ],
      { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 64 << 20 },
    ),
  );
  return publishedPackages.map((name) => {
    const { name: fullName } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
    const found = packed.find((each) => each.name === fullName);
    if (found === undefined) throw new Error(`npm packed no ${fullName}`);
    return { name: fullName, file: join(folder, found.filename) };
  });
}

/** What an installation took. */
export interface InstalledPackages {
  readonly tookMs: number;
  /** Packages in `node_modules`, ours included. */
  readonly packageCount: number;
  /** Sum of the sizes of all files in `node_modules`. */
  readonly bytes: number;
}

/**
 * Installs packages (names with versions, or tarballs) into `folder`, which is created and has no other packages, with the npm cache `cache`. npm
 * gets no settings of this process: neither those of an enclosing `npm run` nor a path into this repository. Rejects when npm fails.
 */
export async function installPackages(
  folder: string,
  cache: string,
  packages: readonly string[],
): Promise<InstalledPackages> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const startedAt = performance.now();
  await promisify(execFile)(
    'npm',
    ['install', '--no-audit', '--no-fund', '--loglevel=error', '--cache', cache, ...packages],
    { cwd: folder, env: plainEnvironment(), timeout: INSTALL_LIMIT_MS, maxBuffer: 64 << 20 },
  );
  const tookMs = performance.now() - startedAt;
  const lock: { packages: Record<string, unknown> } = JSON.parse(
    readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'),
  );
  const files = globSync('node_modules/**/*', { cwd: folder, withFileTypes: true });
  const bytes = files
    .filter((file) => file.isFile())
    .reduce((sum, file) => sum + lstatSync(join(file.parentPath, file.name)).size, 0);
  return { tookMs, packageCount: Object.keys(lock.packages).length, bytes };
}

/** The environment of this process without the variables of an enclosing `npm run`. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const own = /^(?:npm_|NODE_OPTIONS$|NODE_PATH$|INIT_CWD$)/i;
  // A registry or proxy that the machine sets stays.
  const kept =
    /^npm_config_(?:registry|userconfig|globalconfig|proxy|https_proxy|noproxy|cafile|ca|strict_ssl)$/i;
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => kept.test(name) || !own.test(name)),
  );
}
