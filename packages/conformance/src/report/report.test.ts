import { expect, test } from 'vitest';
import type { CheckResult } from '../kit/verdict.ts';
import { badgeOf, badgeTexts } from './badge.ts';
import { junitOf } from './junit.ts';
import { summaryOf } from './summary.ts';
import { failureLines, resultLine, summaryLines } from './text.ts';

const failed: CheckResult = {
  rules: ['CHAT-12'],
  title: 'a <queued> message starts',
  version: '1.0.0',
  verdict: 'failed',
  reason: 'expected "a turn" & got \u0007 none',
  frames: [{ timeMs: 0, connection: 1, direction: 'host-to-client', message: { method: 'action' } }],
  durationMs: 1_500,
};
const report = {
  host: 'h 1',
  versions: ['1.0.0'],
  results: [failed, { ...failed, verdict: 'passed' as const }],
};

test('a failure has the sentence of its rule and the frames that prove it', () => {
  expect(resultLine(failed)).toMatch(/^FAILED 1\.0\.0 \[CHAT-12\] a <queued> message starts: expected/);
  expect(failureLines(failed)).toEqual([
    expect.stringMatching(/^ {4}CHAT-12: Queued messages start in order/),
    expect.stringContaining('#1 ← action'),
  ]);
  expect(summaryLines(report)).toEqual(['host: h 1', '1.0.0: 1 passed, 1 failed, 0 do not apply']);
});

test('JUnit has one suite for each version, and escapes texts', () => {
  const xml = junitOf(report);
  expect(xml).toContain('<testsuite name="AHP 1.0.0" tests="2" failures="1" skipped="0">');
  expect(xml).toContain('name="[CHAT-12] a &lt;queued&gt; message starts" time="1.5">');
  expect(xml).toContain('<failure message="expected &quot;a turn&quot; &amp; got \ufffd none">');
});

test('a summary has counts, the verdict of each rule and the failures, and a badge shows it', () => {
  const facts = { subject: 'host', checkedBy: 'kit 1', now: Date.UTC(2026, 0, 31) } as const;
  const skipped: CheckResult = { ...failed, rules: ['CHAT-13'], version: '0.9.0', verdict: 'does not apply' };
  const all = { ...report, versions: ['1.0.0', '0.9.0'], results: [...report.results, skipped] };
  const summary = summaryOf(all, facts);
  expect(summary).toEqual({
    format: 1,
    subject: 'host',
    program: 'h 1',
    createdAt: '2026-01-31T00:00:00.000Z',
    checkedBy: 'kit 1',
    verdict: 'failed',
    versions: [
      { version: '1.0.0', passed: 1, failed: 1, notApplicable: 0 },
      { version: '0.9.0', passed: 0, failed: 0, notApplicable: 1 },
    ],
    rules: { '1.0.0': { 'CHAT-12': 'failed' }, '0.9.0': { 'CHAT-13': 'does not apply' } },
    failures: [
      {
        version: '1.0.0',
        rules: ['CHAT-12'],
        title: 'a <queued> message starts',
        reason: 'expected "a turn" & got \u0007 none',
      },
    ],
  });
  expect(badgeTexts(summary)).toEqual({ label: 'AHP host 0.9.0–1.0.0', message: '1 of 2 failed' });
  const passed = summaryOf({ host: undefined, versions: ['1.0.0'], results: report.results.slice(1) }, facts);
  expect(badgeTexts(passed)).toEqual({ label: 'AHP host 1.0.0', message: '1 passed' });
  const none = summaryOf({ host: undefined, versions: [], results: [] }, { ...facts, subject: 'client' });
  expect(badgeTexts(none)).toEqual({ label: 'AHP client', message: 'not checked' });
  const hostile = badgeOf({
    ...passed,
    versions: [{ version: '"><script>', passed: 1, failed: 0, notApplicable: 0 }],
  });
  expect(hostile).toContain('aria-label="AHP host &quot;&gt;&lt;script&gt;: 1 passed"');
  expect(hostile).not.toContain('<script>');
});
