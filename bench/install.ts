import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { publishedPackages } from '../scripts/bundle-packages.ts';
import { type InstalledPackages, installPackages, packPackages } from '../scripts/pack-packages.ts';
import { alternate, type Measured } from './bar.ts';
import { withFolder } from './process.ts';

/** Limit for the packages that an installation has, ours included. */
const MOST_PACKAGES = 160;

/** Name and version of every package of others that ours need. */
function dependencies(): string[] {
  const packages = publishedPackages.map((name): { dependencies?: Record<string, string> } =>
    JSON.parse(readFileSync(join(import.meta.dirname, '../packages', name, 'package.json'), 'utf8')),
  );
  const all = packages.flatMap((each) => Object.entries(each.dependencies ?? {}));
  const others = all.filter(([name]) => name !== 'agenthost' && !name.startsWith('@agenthost/'));
  return [...new Set(others.map(([name, version]) => `${name}@${version}`))];
}

/** An installation of the packed packages with an empty cache of npm, against one of the packages of others that they need. */
export async function install(): Promise<Measured[]> {
  return withFolder(async (parent) => {
    const files = packPackages(parent).map(({ file }) => file);
    const installed: { ours?: InstalledPackages; others?: InstalledPackages } = {};
    const run = async (which: keyof typeof installed, packages: readonly string[]): Promise<number> => {
      const [folder, cache] = [join(parent, 'folder'), join(parent, 'cache')];
      try {
        const result = await installPackages(folder, cache, packages);
        installed[which] = result;
        return result.tookMs;
      } finally {
        for (const used of [folder, cache]) rmSync(used, { recursive: true, force: true });
      }
    };
    const { ours, baseline, ratio } = await alternate(
      () => run('ours', files),
      () => run('others', dependencies()),
    );
    const [all, others] = [installed.ours, installed.others];
    if (all === undefined || others === undefined) throw new Error('nothing was installed');
    const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
    const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
    return [
      {
        name: 'install, not our dependencies alone',
        figure: seconds(ours),
        baseline: seconds(baseline),
        ratio,
        bar: { atMost: 1.5 },
      },
      {
        name: 'installed size, not of our dependencies alone',
        figure: megabytes(all.bytes),
        baseline: megabytes(others.bytes),
        ratio: all.bytes / others.bytes,
        bar: { atMost: 1.6 },
      },
      {
        name: 'installed packages',
        figure: String(all.packageCount),
        baseline: String(MOST_PACKAGES),
        ratio: all.packageCount / MOST_PACKAGES,
        bar: { atMost: 1 },
      },
    ];
  });
}
