// `node scripts/summary.ts check kill agents oldest`: the counts of several runs together, as the closing line. A run that never
// closed failed.
import { addCounts, closingLine, isRunName, readCounts } from './test-report.ts';

const counts = addCounts(process.argv.slice(2).filter(isRunName).map(readCounts));
console.log(closingLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
