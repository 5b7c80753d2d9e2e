import { expect, test } from 'vitest';
import type { CheckResult } from '../kit/verdict.ts';
import { junitOf } from './junit.ts';
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
