import type { HostReport } from '../kit/run.ts';
import type { CheckResult } from '../kit/verdict.ts';
import { failureLines } from './text.ts';

/** A report as JUnit XML: one suite for each version. */
export function junitOf({ versions, results }: HostReport): string {
  const suites = versions.map((version) => {
    const own = results.filter((result) => result.version === version);
    const count = (verdict: CheckResult['verdict']): number =>
      own.filter((result) => result.verdict === verdict).length;
    const head = `name="AHP ${version}" tests="${own.length}" failures="${count('failed')}" skipped="${count('does not apply')}"`;
    return `  <testsuite ${head}>\n${own.map(testCase).join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`;
}

function testCase(result: CheckResult): string {
  const { version, rules, title, verdict, reason = '', durationMs } = result;
  const head = `    <testcase classname="ahp.${version}.${rules[0] ?? ''}" name="${escaped(`[${rules.join(' ')}] ${title}`)}" time="${durationMs / 1_000}"`;
  if (verdict === 'passed') return `${head}/>\n`;
  if (verdict === 'does not apply') return `${head}><skipped message="${escaped(reason)}"/></testcase>\n`;
  const proof = escaped(failureLines(result).join('\n'));
  return `${head}><failure message="${escaped(reason)}">${proof}</failure></testcase>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** Text for XML. Characters that XML does not allow become U+FFFD. */
const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids them.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\ud800-\udfff]/gu, '\ufffd')
    .replace(/[&<>"\n]/g, (character) => ENTITIES[character] ?? character);
