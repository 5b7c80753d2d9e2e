// Compares the protocol rules of `docs/rules.md` with their tests. A rule is tested when a test whose title begins with its id passed in
// this run.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runStep, testStep } from './run-step.ts';
import { readReport, root, type TestOutcome } from './test-report.ts';

/** The pages of the protocol, of 0.5.2 and of all changes up to 1.0.0. */
const PAGES = ['PROTOCOL.md', 'PROTOCOL-1.0.md'];

/** A line of `docs/rules.md`. */
export interface Rule {
  readonly id: string;
  readonly sentence: string;
  readonly status: 'planned' | 'implemented';
  /** The part of an implemented rule that depends on a missing feature. */
  readonly waiting?: string;
}

/** Result of the comparison. Each problem fails the check. */
export interface RulesResult {
  readonly problems: readonly string[];
  readonly summary: string;
  readonly lines: readonly string[];
}

/** The ids at the head of a title: `[ACT-5] [REC-1] a resent action …` names two. Later ids do not count. */
export function ruleIdsOf(title: string): string[] {
  const head = /^(?:\[[A-Z]+-\d+\]\s*)*/.exec(title)?.[0] ?? '';
  return [...head.matchAll(/\[([A-Z]+-\d+)\]/g)].map((match) => match[1] ?? '');
}

/**
 * Reads the table rows `| ID | sentence | status |`, and below the heading "Parts that wait" the lines `- ID: what waits`. Throws on a row with
 * another status, and on a part of a rule that is not implemented, so that a typo cannot hide a rule.
 */
export function parseRules(markdown: string): Rule[] {
  const [table = '', waits = ''] = markdown.split('\n## Parts that wait\n');
  const waiting = new Map(
    [...waits.matchAll(/^- ([A-Z]+-\d+): (.+)$/gm)].map(([, id = '', what = '']) => [id, what]),
  );
  const rules = readTable(table);
  for (const id of waiting.keys()) {
    if (!rules.some((rule) => rule.id === id && rule.status === 'implemented'))
      throw new Error(`docs/rules.md: a part of ${id} waits, but that is no implemented rule`);
  }
  return rules.map((rule) => {
    const what = waiting.get(rule.id);
    return what === undefined ? rule : { ...rule, waiting: what };
  });
}

function readTable(markdown: string): Rule[] {
  return [...markdown.matchAll(/^\| ([A-Z]+-\d+) \| (.+) \| (\S+) \|$/gm)].map(
    ([row, id = '', sentence = '', status]) => {
      if (status !== 'planned' && status !== 'implemented')
        throw new Error(`docs/rules.md: status of ${row}`);
      return { id, sentence, status };
    },
  );
}

/** The ids that the protocol's pages define; `undefined` when a page is not beside the repository. */
function protocolIds(): string[] | undefined {
  const pages = PAGES.map((name) => join(root, '../shared', name));
  if (!pages.every((page) => existsSync(page))) return undefined;
  return pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/^- \[([A-Z]+-\d+)\]/gm)].map((match) => match[1] ?? ''),
  );
}

/** Compares the list with the ids of the protocol page, if that was there to read, and with the tests of a run. */
export function compareRules(
  rules: readonly Rule[],
  ids: readonly string[] | undefined,
  tests: readonly TestOutcome[],
): RulesResult {
  const known = new Set(rules.map((rule) => rule.id));
  const problems: string[] = [];
  if (known.size !== rules.length) problems.push('docs/rules.md lists an id twice');
  for (const id of ids ?? [])
    if (!known.has(id)) problems.push(`${id} is in the protocol page, not in docs/rules.md`);
  for (const id of known) {
    if (ids?.includes(id) === false) problems.push(`${id} is in docs/rules.md, not in the protocol page`);
  }

  const passing = new Map<string, number>();
  for (const test of tests) {
    for (const id of new Set(test.titles.flatMap(ruleIdsOf))) {
      if (!known.has(id))
        problems.push(`${test.file} names ${id}, which docs/rules.md does not list: ${test.title}`);
      else if (test.status === 'passed') passing.set(id, (passing.get(id) ?? 0) + 1);
    }
  }

  const lines: string[] = [];
  const count = { held: 0, partly: 0, planned: 0 };
  for (const { id, sentence, status, waiting } of rules) {
    const held = passing.get(id) ?? 0;
    const state = status === 'implemented' ? 'held' : held > 0 ? 'partly' : 'planned';
    count[state] += 1;
    if (state === 'held' && held === 0)
      problems.push(`${id} is marked implemented, but no passing test names it`);
    lines.push(`${state.padEnd(8)} ${String(held).padStart(3)} tests  ${id.padEnd(9)} ${sentence}`);
    if (waiting !== undefined) lines.push(`${' '.repeat(29)} waits: ${waiting}`);
  }
  const compared =
    ids === undefined
      ? 'not compared with the protocol page, which is absent'
      : 'same ids as the protocol page';
  const waitingCount = rules.filter(({ waiting }) => waiting !== undefined).length;
  const butFor = waitingCount === 0 ? '' : ` (${waitingCount} but for parts that wait)`;
  const summary = `${rules.length} rules: ${count.held} implemented${butFor}, ${count.partly} partly, ${count.planned} planned; ${compared}`;
  return { problems, summary, lines };
}

/** The comparison of this repository's list with the tests of a run. */
export function checkRules(tests: readonly TestOutcome[]): RulesResult {
  const ids = protocolIds();
  const result = compareRules(parseRules(readFileSync(join(root, 'docs/rules.md'), 'utf8')), ids, tests);
  if (ids !== undefined || process.env.REQUIRE_ALL !== '1') return result;
  return {
    ...result,
    problems: [...result.problems, '../shared/PROTOCOL.md is absent: the ids were not compared with it'],
  };
}

if (import.meta.main) {
  const { code, output } = await runStep(testStep);
  if (code !== 0) console.log(output.trimEnd());
  const { lines, problems, summary } = checkRules(readReport('check')?.tests ?? []);
  for (const line of lines) console.log(line);
  for (const problem of problems) console.log(`✗ ${problem}`);
  console.log(summary);
  process.exitCode = code !== 0 || problems.length > 0 ? 1 : 0;
}
