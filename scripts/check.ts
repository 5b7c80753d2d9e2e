// `npm test`: every check that a change must pass. Prints one line a step, the whole output of each failed step, and last the count of
// tests on a line of its own. A failed step that is not a test counts as one failure there.
import { checkRules } from './rules.ts';
import { runStep, runSteps, type Step, type StepResult, testStep } from './run-step.ts';
import { clearReport, closingLine, printRetried, readReport, writeClosing } from './test-report.ts';

const source: Step[] = [
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'types of the page', command: ['tsc', '-p', 'packages/web'] },
  { name: 'types of the service worker', command: ['tsc', '-p', 'packages/web/src/service-worker'] },
  { name: 'lint', command: ['oxlint', '--type-aware'] },
  { name: 'format', command: ['biome', 'check'] },
  { name: 'unused exports and dependencies', command: ['knip', '--no-progress', '--no-config-hints'] },
];
const build: Step = { name: 'build', command: ['node', 'scripts/build.ts'] };
const packages: Step = { name: 'packages', command: ['node', 'scripts/check-packages.ts'] };
const failures: StepResult[] = [];

function onEnd(result: StepResult): void {
  const failed = result.code !== 0;
  console.log(`${failed ? '✗' : '✓'} ${result.step.name}  ${(result.elapsedMs / 1000).toFixed(1)} s`);
  if (!failed) return;
  failures.push(result);
  console.log(result.output.trimEnd());
}

clearReport('check');
// The other steps read the output of the build.
onEnd(await runStep(build));
// Tests wait for programs most of the time, and leave the other steps room beside them.
await Promise.all([runStep(testStep).then(onEnd), runSteps([...source, packages], 1, onEnd)]);

const report = readReport('check');
for (const test of report?.tests ?? []) {
  if (test.status !== 'passed' && test.status !== 'failed')
    console.log(`- skipped: ${test.title} (${test.file})`);
}

printRetried('check', report);

const rules = checkRules(report?.tests ?? []);
console.log(`${rules.problems.length > 0 ? '✗' : '✓'} rules  ${rules.summary}`);
for (const problem of rules.problems) console.log(`  ${problem}`);

const inTests = report?.counts ?? { passed: 0, failed: 0, skipped: 0 };
const otherFailures = failures
  .filter(({ step }) => step !== testStep || inTests.failed === 0)
  .map(({ step, output }) => `${step.name}\n${output.trimEnd().slice(-2000)}`);
if (rules.problems.length > 0) otherFailures.push(`rules\n${rules.problems.join('\n')}`);
const counts = { ...inTests, failed: inTests.failed + otherFailures.length };
writeClosing('check', { counts, otherFailures });
const unwantedSkips = process.env.REQUIRE_ALL === '1' && counts.skipped > 0;
if (unwantedSkips) console.log(`✗ REQUIRE_ALL=1 allows no skipped test; ${counts.skipped} were.`);
if (failures.length > 0) console.log(`failed: ${failures.map(({ step }) => step.name).join(', ')}`);

console.log(closingLine(counts));
process.exitCode = counts.failed > 0 || unwantedSkips ? 1 : 0;
