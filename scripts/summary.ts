// `node scripts/summary.ts check kill agents`: the counts of several runs together, as the closing line. A run that never closed failed.
import { addCounts, closingLine, type RunName, readCounts } from './test-report.ts';

const runs = process.argv
  .slice(2)
  .filter((name): name is RunName => name === 'check' || name === 'kill' || name === 'agents');

const counts = addCounts(runs.map(readCounts));
console.log(closingLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
