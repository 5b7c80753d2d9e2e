// `node scripts/run-tests.ts kill|agents`: the runs that take too long for every check. A run without any test yet passes.
import { runStep } from './run-step.ts';
import {
  clearReport,
  closingLine,
  type RunName,
  readReport,
  reportPath,
  writeCounts,
} from './test-report.ts';

const run = process.argv.slice(2).find((name): name is RunName => name === 'kill' || name === 'agents');
if (run === undefined) {
  console.error('usage: node scripts/run-tests.ts kill|agents');
  process.exit(2);
}

clearReport(run);
const { code } = await runStep(
  {
    name: run,
    command: [
      'vitest',
      'run',
      ...['--mode', run, '--passWithNoTests', '--no-file-parallelism'],
      ...['--reporter=verbose', '--reporter=json', `--outputFile.json=${reportPath(run)}`],
    ],
  },
  { live: true },
);

const reported = readReport(run)?.counts ?? { passed: 0, failed: 0, skipped: 0 };
const counts = { ...reported, failed: code !== 0 && reported.failed === 0 ? 1 : reported.failed };
writeCounts(run, counts);
const unwantedSkips = process.env.REQUIRE_ALL === '1' && counts.skipped > 0;
if (unwantedSkips) console.error(`REQUIRE_ALL=1 allows no skipped test; ${counts.skipped} were.`);
console.log(closingLine(counts));
process.exitCode = counts.failed > 0 || unwantedSkips ? 1 : 0;
