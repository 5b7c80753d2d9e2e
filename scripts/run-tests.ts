// `node scripts/run-tests.ts sim|kill|load|agents|oldest`: the runs that take too long for every check. A run without any test yet passes.
import { installOldestNode, oldestNodeVersion } from './oldest-node.ts';
import { runStep } from './run-step.ts';
import {
  type Counts,
  clearReport,
  closingLine,
  isRunName,
  type RunName,
  readReport,
  reportPath,
  root,
  writeClosing,
} from './test-report.ts';

/** What starts vitest. For `oldest` that is the oldest supported Node, workers and the programs under test included. */
async function vitestCommand(run: RunName): Promise<[string, ...string[]]> {
  if (run !== 'oldest') return ['vitest'];
  return [await installOldestNode(await oldestNodeVersion()), `${root}/node_modules/vitest/vitest.mjs`];
}

async function countsOf(run: RunName): Promise<Counts> {
  let vitest: [string, ...string[]];
  try {
    vitest = await vitestCommand(run);
  } catch (cause) {
    console.log(`- skipped: ${run}: ${cause instanceof Error ? cause.message : String(cause)}`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const { code } = await runStep(
    {
      name: run,
      command: [
        ...vitest,
        'run',
        ...['--mode', run, '--passWithNoTests', '--no-file-parallelism'],
        ...['--reporter=verbose', '--reporter=json', `--outputFile.json=${reportPath(run)}`],
      ],
    },
    { live: true },
  );
  const counts = readReport(run)?.counts ?? { passed: 0, failed: 0, skipped: 0 };
  return { ...counts, failed: code !== 0 && counts.failed === 0 ? 1 : counts.failed };
}

const run = process.argv.slice(2).find(isRunName);
if (run === undefined || run === 'check') {
  console.error('usage: node scripts/run-tests.ts sim|kill|load|agents|oldest');
  process.exit(2);
}

clearReport(run);
const counts = await countsOf(run);
writeClosing(run, { counts, otherFailures: [] });
const unwantedSkips = process.env.REQUIRE_ALL === '1' && counts.skipped > 0;
if (unwantedSkips) console.error(`REQUIRE_ALL=1 allows no skipped test; ${counts.skipped} were.`);
console.log(closingLine(counts));
process.exitCode = counts.failed > 0 || unwantedSkips ? 1 : 0;
