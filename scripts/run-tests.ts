// `node scripts/run-tests.ts sim|kill|load|agents|vscode|page|install|postgres`: the runs that take too long for every check.
import { runStep } from './run-step.ts';
import {
  type Counts,
  clearReport,
  closingLine,
  isRunName,
  printRetried,
  type RunName,
  readReport,
  reportPath,
  writeClosing,
} from './test-report.ts';

/** Runs whose files run one after the other: load tests measure times, and each test of VS Code may install it. */
const IN_TURN: readonly RunName[] = ['load', 'vscode'];

async function countsOf(run: RunName): Promise<Counts> {
  const { code } = await runStep(
    {
      name: run,
      command: [
        'vitest',
        'run',
        ...['--mode', run, '--passWithNoTests'],
        ...(IN_TURN.includes(run) ? ['--no-file-parallelism'] : []),
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
  console.error('usage: node scripts/run-tests.ts sim|kill|load|agents|vscode|page|install|postgres');
  process.exit(2);
}

clearReport(run);
const counts = await countsOf(run);
writeClosing(run, { counts, otherFailures: [] });
const unwantedSkips = process.env.REQUIRE_ALL === '1' && counts.skipped > 0;
if (unwantedSkips) console.error(`REQUIRE_ALL=1 allows no skipped test; ${counts.skipped} were.`);
printRetried(run, readReport(run));
console.log(closingLine(counts));
process.exitCode = counts.failed > 0 || unwantedSkips ? 1 : 0;
