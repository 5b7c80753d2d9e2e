// `npm run lockfile`, after a change of dependencies: adds missing optional packages of other platforms to the lockfile. npm leaves them
// out when the configured registry does not serve them, and `npm ci` then refuses the lockfile everywhere.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './test-report.ts';

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];

/** The platform that a package's name states: `@oxlint/binding-linux-x64-musl`. */
function platformOf(name: string): { cpu: string[]; libc?: string[]; os: string[] } | undefined {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.find((system) => words.includes(system));
  const cpu = PROCESSORS.find((processor) => words.includes(processor));
  if (os === undefined || cpu === undefined) return undefined;
  if (os !== 'linux') return { cpu: [cpu], os: [os] };
  return { cpu: [cpu], libc: [words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc'], os: [os] };
}

const path = join(root, 'package-lock.json');
const lock: { packages: Record<string, LockedPackage> } = JSON.parse(readFileSync(path, 'utf8'));
const missing = Object.values(lock.packages).flatMap((parent) =>
  Object.entries(parent.optionalDependencies ?? {})
    .filter(([name]) => !(`node_modules/${name}` in lock.packages))
    .map(([name, version]) => ({ name, version, parent })),
);

const unknown: string[] = [];
for (const { name, version, parent } of missing) {
  const platform = platformOf(name);
  if (platform === undefined || !/^\d[\w.+-]*$/.test(version)) unknown.push(`${name}@${version}`);
  else
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platform,
      ...(parent.dev === true && { dev: true }),
      ...{ optional: true },
    };
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${missing.length - unknown.length} packages of other platforms added to package-lock.json`);
if (unknown.length > 0) {
  console.error(`not added, since their names do not tell the platform: ${unknown.join(', ')}`);
  process.exitCode = 1;
}
