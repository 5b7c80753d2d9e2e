// Packages of a later release: the packed ones with another version number.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PackedPackage } from '../../scripts/pack-packages.ts';

interface Manifest {
  version: string;
  readonly dependencies?: Record<string, string>;
}

/** Packs these packages again into `folder`, as of `version`. They depend on each other in this version. */
export function packAgain(packed: readonly PackedPackage[], version: string, folder: string): string[] {
  const names = packed.map(({ name }) => name);
  return packed.map(({ name, file }) => {
    const stem = name.replace(/^@/, '').replace('/', '-');
    const unpacked = join(folder, stem);
    mkdirSync(unpacked, { recursive: true });
    execFileSync('tar', ['-xzf', file, '-C', unpacked]);
    const path = join(unpacked, 'package/package.json');
    const manifest: Manifest = JSON.parse(readFileSync(path, 'utf8'));
    manifest.version = version;
    for (const dependency of Object.keys(manifest.dependencies ?? {}))
      if (names.includes(dependency)) Object.assign(manifest.dependencies ?? {}, { [dependency]: version });
    writeFileSync(path, JSON.stringify(manifest));
    const newer = join(folder, `${stem}-${version}.tgz`);
    execFileSync('tar', ['-czf', newer, '-C', unpacked, 'package']);
    return newer;
  });
}
