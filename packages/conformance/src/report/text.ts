import type { HostReport } from '../kit/run.ts';
import type { CheckResult } from '../kit/verdict.ts';
import { EntryLines } from '../replay/show.ts';
import { sentenceOf } from '../rules/sentence-of.ts';

/** Frames shown below a failure. */
const SHOWN_FRAMES = 6;

/** One line about a result. */
export function resultLine({ version, verdict, rules, title, reason }: CheckResult): string {
  const mark = verdict === 'passed' ? 'passed' : verdict === 'failed' ? 'FAILED' : 'skipped';
  return `${mark} ${version} [${rules.join(' ')}] ${title}${reason === undefined ? '' : `: ${reason}`}`;
}

/** Lines about a failure: the sentences of its rules, and the frames that prove it. */
export function failureLines({ rules, frames }: CheckResult): string[] {
  const lines = new EntryLines();
  const meaning = rules.map((rule) => `    ${rule}: ${sentenceOf(rule) ?? ''}`);
  return [...meaning, ...frames.map((frame) => `      ${lines.lineOf(frame)}`).slice(-SHOWN_FRAMES)];
}

/** The number of checks with each verdict, for each version. */
export function summaryLines({ host, versions, results }: HostReport): string[] {
  const count = (version: string, verdict: CheckResult['verdict']): number =>
    results.filter((result) => result.version === version && result.verdict === verdict).length;
  return [
    `host: ${host ?? 'it gave no name'}`,
    ...versions.map(
      (version) =>
        `${version}: ${count(version, 'passed')} passed, ${count(version, 'failed')} failed, ${count(version, 'does not apply')} do not apply`,
    ),
  ];
}
