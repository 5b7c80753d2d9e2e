// `node scripts/check-packages.ts`: packs every published package as npm does, and checks the tarball with publint and with "Are the types
// wrong?". One process for all: most of the time of both goes into loading them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packPackages } from './pack-packages.ts';

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
  const problems: string[] = [];
  for (const { name, file } of packPackages(folder))
    problems.push(...(await problemsOf(name, Uint8Array.from(readFileSync(file)))));
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
