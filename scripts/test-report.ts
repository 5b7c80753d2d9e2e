import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The repository's root folder. */
export const root = join(import.meta.dirname, '..');

const RUN_NAMES = [
  'check',
  'sim',
  'kill',
  'load',
  'agents',
  'vscode',
  'page',
  'install',
  'postgres',
] as const;

/** Names of test runs: `check` is `npm test`; the others are long runs with scripts of their own. */
export type RunName = (typeof RUN_NAMES)[number];

/** Whether an argument names a run. */
export function isRunName(name: string): name is RunName {
  return RUN_NAMES.some((run) => run === name);
}

/** Test counts of one run or of several together. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** One test of a run: its full title, the parts of the title (describe titles, then its own), and its status. */
export interface TestOutcome {
  readonly file: string;
  readonly title: string;
  readonly titles: readonly string[];
  readonly status: string;
}

/**
 * The report of one run. `failures` has the place and reason of each failed test and of each file that failed outside its tests; `retried`
 * those of each test that passed only at a further attempt.
 */
export interface RunReport {
  readonly counts: Counts;
  readonly failures: readonly string[];
  readonly retried: readonly string[];
  readonly tests: readonly TestOutcome[];
}

interface VitestJson {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** The first lines of a failure's message, without stack frames of libraries. */
function reasonLines(message: string): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '' && !line.includes('node_modules'));
  return lines
    .slice(0, 24)
    .map((line) => `    ${line}`)
    .join('\n');
}

/** Path of a run's report, in vitest's JSON format. */
export function reportPath(run: RunName): string {
  return join(root, '.cache/reports', `${run}.json`);
}

/**
 * Reads the report of a run; `undefined` when there is none. A file that failed outside its tests (an import, a hook, something left open)
 * and a run that failed outside its files (an unhandled rejection) count as one failure each.
 */
export function readReport(run: RunName): RunReport | undefined {
  const path = reportPath(run);
  if (!existsSync(path)) return undefined;
  const json: VitestJson = JSON.parse(readFileSync(path, 'utf8'));
  const tests: TestOutcome[] = [];
  const failures: string[] = [];
  const retried: string[] = [];
  let failedFiles = 0;
  for (const file of json.testResults) {
    const name = relative(root, file.name);
    for (const test of file.assertionResults) {
      tests.push({
        file: name,
        title: test.fullName,
        titles: [...test.ancestorTitles, test.title],
        status: test.status,
      });
      const messages = test.failureMessages ?? [];
      const described = `${name} > ${test.fullName}\n${reasonLines(messages.join('\n'))}`;
      if (test.status === 'failed') failures.push(described);
      else if (test.status === 'passed' && messages.length > 0) retried.push(described);
    }
    if (file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')) {
      failedFiles += 1;
      failures.push(`${name}, outside its tests\n${reasonLines(file.message ?? '')}`);
    }
  }
  const passed = tests.filter((test) => test.status === 'passed').length;
  const failedTests = tests.filter((test) => test.status === 'failed').length;
  const failed = failedTests + failedFiles;
  return {
    counts: {
      passed,
      failed: failed === 0 && !json.success ? 1 : failed,
      skipped: tests.length - passed - failedTests,
    },
    failures,
    retried,
    tests,
  };
}

function closingPath(run: RunName): string {
  return join(root, '.cache/reports', `${run}.closing.json`);
}

/** Deletes the report of an earlier run. */
export function clearReport(run: RunName): void {
  rmSync(reportPath(run), { force: true });
  rmSync(closingPath(run), { force: true });
}

/** Result of a run: its counts, and failed steps of `npm test` other than tests, with the end of their output. */
export interface Closing {
  readonly counts: Counts;
  readonly otherFailures: readonly string[];
}

/** Stores the result of a run for the summary of several runs. */
export function writeClosing(run: RunName, closing: Closing): void {
  mkdirSync(dirname(closingPath(run)), { recursive: true });
  writeFileSync(closingPath(run), JSON.stringify(closing));
}

/** The result of a run. A run without a result counts as one failure. */
export function readClosing(run: RunName): Closing {
  const path = closingPath(run);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'));
  return { counts: { passed: 0, failed: 1, skipped: 0 }, otherFailures: ['the run stopped before its end'] };
}

/** Sums counts. */
export function addCounts(all: readonly Counts[]): Counts {
  const sum = (key: keyof Counts) => all.reduce((total, counts) => total + counts[key], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

/** Names each test of a run's report that passed only at a further attempt. */
export function printRetried(run: RunName, report: RunReport | undefined): void {
  for (const test of report?.retried ?? []) console.log(`↻ ${run}, passed at a further attempt: ${test}`);
}

/** The last line of every run. */
export function closingLine(counts: Counts): string {
  return `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
}
