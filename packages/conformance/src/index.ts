export { ClientWatch, type ClientWatchOptions } from './client/client-watch.ts';
export { checkHost, type HostReport, hasCheck, type KitOptions } from './kit/run.ts';
export type { CheckResult, Verdict } from './kit/verdict.ts';
export { endpointOf, type HostAddress, openHost } from './link/open-host.ts';
export { type Difference, type ReplayOptions, type ReplayOutcome, replay } from './replay/play.ts';
export { EntryLines } from './replay/show.ts';
export { badgeOf, badgeTexts } from './report/badge.ts';
export { junitOf } from './report/junit.ts';
export {
  type ConformanceSummary,
  type SummaryFacts,
  type SummaryFailure,
  summaryOf,
  type VersionSummary,
} from './report/summary.ts';
export { failureLines, resultLine, summaryLines } from './report/text.ts';
export { sentenceOf } from './rules/sentence-of.ts';
