// The kit against VS Code's own host. The page for people lists what that host breaks, with reasons.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckResult, checkHost } from '@agenthost/conformance';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installEditor } from '../../scripts/install-vscode.ts';
import { type AgentHost, startAgentHost } from './agent-host.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/conformance.md'), 'utf8');
const published = join(root, '../shared/protocol');
const RUN_TIMEOUT_MS = 300_000;

/** Rules and titles in the table of the page. */
const expected = page
  .slice(page.indexOf("## VS Code's own host"))
  .split('\n')
  .flatMap((line) => {
    const [, rules, title] = /^\| ((?:[A-Z]+-\d+ ?)+) \| (.*?) \|/.exec(line) ?? [];
    return rules === undefined ? [] : [`${rules}: ${title}`];
  });

const installation = await installEditor();
console.log(`VS Code: ${installation.reason ?? installation.command} (${installation.tookMs} ms)`);

test('VS Code is installed', ({ skip }) => {
  if (installation.command === undefined && process.env['REQUIRE_ALL'] !== '1')
    skip(`VS Code is not installed: ${installation.reason}`);
  expect(installation.reason).toBeUndefined();
});

describe.skipIf(installation.command === undefined)("VS Code's own host", () => {
  let host: AgentHost;
  let results: readonly CheckResult[];
  beforeAll(async () => {
    host = await startAgentHost(installation.command ?? '');
    const report = await checkHost({
      open: host.open,
      folder: host.folder,
      signal: AbortSignal.timeout(RUN_TIMEOUT_MS),
      schemas: existsSync(published) ? published : undefined,
      patienceMs: 4_000,
    });
    expect(report.versions).toEqual(['0.9.0']);
    ({ results } = report);
  }, RUN_TIMEOUT_MS);
  afterAll(() => host?.stop());

  test('breaks exactly the rules that the page lists', () => {
    const failed = results
      .filter(({ verdict }) => verdict === 'failed')
      .map(({ rules, title }) => `${rules.join(' ')}: ${title}`);
    expect(expected.length).toBeGreaterThan(0);
    expect(failed).toEqual(expected);
  });

  test('keeps most of the others that apply', () => {
    expect(results.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(35);
  });
});
