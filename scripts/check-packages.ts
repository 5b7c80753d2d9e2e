// `node scripts/check-packages.ts`: packs every published package as npm does, and checks the tarball with publint and with "Are the types
// wrong?". One process for all: most of the time of both goes into loading them.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { publishedPackages } from './bundle-packages.ts';

const root = join(import.meta.dirname, '..');

/** CommonJS, which no package has. */
const IGNORED_RESOLUTIONS: readonly string[] = ['node10', 'node16-cjs'];

const isIgnored = (problem: Problem): boolean =>
  'resolutionKind' in problem && IGNORED_RESOLUTIONS.includes(problem.resolutionKind);

/** Problems of one packed package, each in one line. */
async function problemsOf(name: string, tarball: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  // A package with only a program has no types.
  const wrongTypes =
    analysis.types === false ? [] : analysis.problems.filter((problem) => !isIgnored(problem));
  return [
    ...messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false }) ?? message.code}`),
    ...wrongTypes.map((problem) => `${name}: types: ${JSON.stringify(problem)}`),
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'agenthost-packed-'));
try {
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
  const problems: string[] = [];
  for (const name of publishedPackages) {
    const { name: fullName } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
    const found = packed.find((each) => each.name === fullName);
    if (found === undefined) throw new Error(`npm packed no ${fullName}`);
    problems.push(...(await problemsOf(name, Uint8Array.from(readFileSync(join(folder, found.filename))))));
  }
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
