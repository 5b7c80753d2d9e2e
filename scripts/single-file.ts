// `node scripts/single-file.ts <file> [platform]`: writes the program with Node and all packages as one executable file, by Node's single executable
// applications. `platform`: linux-x64, linux-arm64 or, on a Mac, darwin-arm64 or darwin-x64. Default: this machine's.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installPackages, packPackages } from './pack-packages.ts';
import { writeSingleFile } from './single-file/write-single-file.ts';

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** Installs what a single file for a platform has, from npm: our packages with theirs, and Node of the running version. Resolves with both. */
async function fetchParts(folder: string, platform: string): Promise<{ packages: string; node: string }> {
  const [os = '', cpu = ''] = platform.split('-');
  const target = ['--os', os, '--cpu', cpu, ...(os === 'linux' ? ['--libc', 'glibc'] : [])];
  const [packages, nodes, cache] = [
    join(folder, 'packages'),
    join(folder, 'node'),
    join(folder, 'npm-cache'),
  ];
  await installPackages(packages, cache, [...target, ...packPackages(folder).map(({ file }) => file)]);
  await installPackages(nodes, cache, [...target, `node-${platform}@${process.versions.node}`]);
  return { packages, node: join(nodes, `node_modules/node-${platform}/bin/node`) };
}

const [given, platform = `${process.platform}-${process.arch}`] = process.argv.slice(2);
if (given === undefined || !PLATFORMS.includes(platform)) {
  console.error(`usage: node scripts/single-file.ts <file> [${PLATFORMS.join('|')}]`);
  process.exit(2);
}
const file = resolve(given);
const folder = mkdtempSync(join(tmpdir(), 'agenthost-single-file-'));
try {
  const { packages, node } = await fetchParts(folder, platform);
  await writeSingleFile({ file, packages, node, isMac: platform.startsWith('darwin') });
  console.log(file);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
