import type { HostReport } from '../kit/run.ts';
import type { CheckResult, Verdict } from '../kit/verdict.ts';

/** Counts of the checks of one version. */
export interface VersionSummary {
  readonly version: string;
  readonly passed: number;
  readonly failed: number;
  readonly notApplicable: number;
}

/** A check that failed, without its frames. */
export interface SummaryFailure {
  readonly version: string;
  readonly rules: readonly string[];
  readonly title: string;
  readonly reason: string;
}

/** The result of a conformance run for other programs. Fields may be added. `format` changes when the meaning of a field changes. */
export interface ConformanceSummary {
  readonly format: 1;
  readonly subject: 'host' | 'client';
  /** Name and version of the program, from the handshake. Absent: the program sent none. */
  readonly program?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Name and version of the program that checked. */
  readonly checkedBy: string;
  /** 'none': no check applied. */
  readonly verdict: 'passed' | 'failed' | 'none';
  readonly versions: readonly VersionSummary[];
  /** By version, then by rule: failed if one of its checks failed, passed if one passed. */
  readonly rules: Readonly<Record<string, Readonly<Record<string, Verdict>>>>;
  readonly failures: readonly SummaryFailure[];
}

/** Facts about a run that its report does not have. */
export interface SummaryFacts {
  readonly subject: 'host' | 'client';
  readonly checkedBy: string;
  /** ms since the epoch. */
  readonly now: number;
}

/** Summarizes a report. */
export function summaryOf(
  { host, versions, results }: HostReport,
  { subject, checkedBy, now }: SummaryFacts,
): ConformanceSummary {
  const count = (version: string, verdict: Verdict): number =>
    results.filter((result) => result.version === version && result.verdict === verdict).length;
  const failures = results.filter(({ verdict }) => verdict === 'failed');
  const hasPassed = results.some(({ verdict }) => verdict === 'passed');
  return {
    format: 1,
    subject,
    ...(host === undefined ? {} : { program: host }),
    createdAt: new Date(now).toISOString(),
    checkedBy,
    verdict: failures.length > 0 ? 'failed' : hasPassed ? 'passed' : 'none',
    versions: versions.map((version) => ({
      version,
      passed: count(version, 'passed'),
      failed: count(version, 'failed'),
      notApplicable: count(version, 'does not apply'),
    })),
    rules: Object.fromEntries(versions.map((version) => [version, rulesOf(results, version)])),
    failures: failures.map(({ version, rules, title, reason = '' }) => ({ version, rules, title, reason })),
  };
}

const WEIGHT: Readonly<Record<Verdict, number>> = { 'does not apply': 0, passed: 1, failed: 2 };

function rulesOf(results: readonly CheckResult[], version: string): Record<string, Verdict> {
  const found: Record<string, Verdict> = {};
  for (const { rules, verdict } of results.filter((result) => result.version === version))
    for (const rule of rules) {
      const known = found[rule];
      if (known === undefined || WEIGHT[verdict] > WEIGHT[known]) found[rule] = verdict;
    }
  return found;
}
