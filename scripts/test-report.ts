import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The repository's root folder. */
export const root = join(import.meta.dirname, '..');

const RUN_NAMES = ['check', 'sim', 'kill', 'load', 'agents'] as const;

/** Test runs that leave a report: the one of `npm test`, and the long ones with scripts of their own. */
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

/** One test of a run: its full title, the same in its parts (describe titles, then its own), and how it ended. */
export interface TestOutcome {
  readonly file: string;
  readonly title: string;
  readonly titles: readonly string[];
  readonly status: string;
}

/** What one run left behind; `failures` says of each failed test, or file outside its tests, where it is and why it failed. */
export interface RunReport {
  readonly counts: Counts;
  readonly failures: readonly string[];
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

/** A failure's reason in as many lines as help, without the frames of libraries. */
function reasonLines(message: string): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '' && !line.includes('node_modules'));
  return lines
    .slice(0, 24)
    .map((line) => `    ${line}`)
    .join('\n');
}

/** Where a run's report lies (vitest's JSON format). */
export function reportPath(run: RunName): string {
  return join(root, '.cache/reports', `${run}.json`);
}

/**
 * Reads the report of a run; undefined if it left none. A file that failed outside its tests (an import, a hook, something left open)
 * and a run that failed outside its files (an unhandled rejection) count as one failure each.
 */
export function readReport(run: RunName): RunReport | undefined {
  const path = reportPath(run);
  if (!existsSync(path)) return undefined;
  const json: VitestJson = JSON.parse(readFileSync(path, 'utf8'));
  const tests: TestOutcome[] = [];
  const failures: string[] = [];
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
      if (test.status === 'failed')
        failures.push(`${name} > ${test.fullName}\n${reasonLines(test.failureMessages?.join('\n') ?? '')}`);
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
    tests,
  };
}

function closingPath(run: RunName): string {
  return join(root, '.cache/reports', `${run}.closing.json`);
}

/** Forgets what an earlier run left, so that it cannot be taken for this one's. */
export function clearReport(run: RunName): void {
  rmSync(reportPath(run), { force: true });
  rmSync(closingPath(run), { force: true });
}

/** How a run closed: its counts, and what failed beside tests (steps of `npm test`, by name and with the end of their output). */
export interface Closing {
  readonly counts: Counts;
  readonly otherFailures: readonly string[];
}

/** Keeps how a run closed, for the summary of several runs. */
export function writeClosing(run: RunName, closing: Closing): void {
  mkdirSync(dirname(closingPath(run)), { recursive: true });
  writeFileSync(closingPath(run), JSON.stringify(closing));
}

/** How a run closed; one that never got so far counts as one failure. */
export function readClosing(run: RunName): Closing {
  const path = closingPath(run);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'));
  return { counts: { passed: 0, failed: 1, skipped: 0 }, otherFailures: ['the run never closed'] };
}

/** Sums counts. */
export function addCounts(all: readonly Counts[]): Counts {
  const sum = (key: keyof Counts) => all.reduce((total, counts) => total + counts[key], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

/** The line that every run ends with. */
export function closingLine(counts: Counts): string {
  return `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
}
