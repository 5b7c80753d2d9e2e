// `node scripts/summary.ts check sim kill load agents vscode page install postgres`: repeats the failures of several runs, names the tests that needed a
// further attempt, and sums the counts in the closing line, so that the end of a long log names these tests. A run without a closing line counts as failed.
import { addCounts, closingLine, isRunName, printRetried, readClosing, readReport } from './test-report.ts';

const SHOWN = 12;
const runs = process.argv
  .slice(2)
  .filter(isRunName)
  .map((run) => ({ run, closing: readClosing(run) }));
for (const { run, closing } of runs) {
  const report = readReport(run);
  printRetried(run, report);
  const failures = [...closing.otherFailures, ...(report?.failures ?? [])];
  for (const failure of failures.slice(0, SHOWN)) console.log(`✗ ${run}: ${failure}`);
  if (failures.length > SHOWN) console.log(`✗ ${run}: and ${failures.length - SHOWN} more`);
}
const counts = addCounts(runs.map(({ closing }) => closing.counts));
console.log(closingLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
