import { type DemoKeyword, keywords } from './keywords.ts';
import type { Step } from './step.ts';

/** A parsed prompt: steps in order, and the lines of plain talk. */
export interface Script {
  readonly steps: readonly Step[];
  readonly talk: readonly string[];
}

/** Limits of one prompt, so that it cannot keep the host busy. */
const MAX_STEPS = 1_000;
const MAX_STATEMENTS = 10_000;

/**
 * Parses a prompt. A keyword may follow a slash, as in commands, or "please". Never fails: a prompt beyond
 * the limits becomes one step that fails with the reason.
 */
export function readScript(prompt: string, language: readonly DemoKeyword[] = keywords): Script {
  const steps: Step[] = [];
  const talk: string[] = [];
  for (const statement of statementsOf(prompt, language)) {
    const found = findKeyword(statement, language);
    const step = found?.keyword.read(found.rest);
    if (step) steps.push(step);
    else talk.push(statement);
    if (steps.length > MAX_STEPS) return refused(MAX_STEPS, 'steps');
    if (steps.length + talk.length > MAX_STATEMENTS) return refused(MAX_STATEMENTS, 'lines');
  }
  return { steps, talk };
}

const refused = (most: number, what: string): Script => ({
  steps: [{ kind: 'fail', reason: `The demo agent takes prompts of at most ${most} ${what}` }],
  talk: [],
});

function* statementsOf(prompt: string, language: readonly DemoKeyword[]): Generator<string, void, undefined> {
  for (const line of prompt.split('\n')) yield* statements(line, language);
}

/** The statements of a line: up to each `;`, except for words that take the rest of the line. */
function* statements(line: string, language: readonly DemoKeyword[]): Generator<string, void, undefined> {
  for (let rest = line.trim(); rest !== ''; ) {
    const end = rest.indexOf(';');
    const first = end === -1 ? rest : rest.slice(0, end);
    if (keywordOf(rest, language)?.takesLine === true) {
      yield rest;
      return;
    }
    if (first.trim() !== '') yield first.trim();
    rest = end === -1 ? '' : rest.slice(end + 1).trimStart();
  }
}

/** The keyword at the start of a line. */
function keywordOf(line: string, language: readonly DemoKeyword[]): DemoKeyword | undefined {
  const [, word] = /^(?:please\s+)?\/?([a-z]+)(?=\s|$)/i.exec(line) ?? [];
  return language.find(({ words }) => words.includes(word?.toLowerCase() ?? ''));
}

function findKeyword(
  line: string,
  language: readonly DemoKeyword[],
): { keyword: DemoKeyword; rest: string } | undefined {
  const keyword = keywordOf(line, language);
  return keyword && { keyword, rest: line.replace(/^(?:please\s+)?\/?[a-z]+/i, '').trim() };
}

/** The language as a Markdown table, for the README. */
export function keywordTable(): string {
  const rows = keywords.map(({ words, usage, description }) => {
    const prompt = words.map((word) => `\`${`${word} ${usage}`.trim().replaceAll('|', '\\|')}\``).join(', ');
    return `| ${prompt} | ${description} |`;
  });
  return ['| prompt | what happens |', '|---|---|', ...rows].join('\n');
}
