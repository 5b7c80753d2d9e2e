import { type Keyword, keywords } from './keywords.ts';
import type { Step } from './step.ts';

/** A prompt as read: what to do, in order, and the lines that are only talk. */
export interface Script {
  readonly steps: readonly Step[];
  readonly talk: readonly string[];
}

/** Reads a prompt. A keyword may carry a slash in front, as commands do, and a "please". Never fails. */
export function readScript(prompt: string): Script {
  const steps: Step[] = [];
  const talk: string[] = [];
  for (const statement of prompt.split('\n').flatMap(statements)) {
    const found = findKeyword(statement);
    const step = found?.keyword.read(found.rest);
    if (step) steps.push(step);
    else talk.push(statement);
  }
  return { steps, talk };
}

/** What a line says, one by one: up to each `;`, but for words that take the rest of it. */
function statements(line: string): string[] {
  const trimmed = line.trim();
  if (trimmed === '') return [];
  const [first = ''] = trimmed.split(';', 1);
  if (findKeyword(trimmed)?.keyword.takesLine === true) return [trimmed];
  const rest = statements(trimmed.slice(first.length + 1));
  return first.trim() === '' ? rest : [first.trim(), ...rest];
}

function findKeyword(line: string): { keyword: Keyword; rest: string } | undefined {
  const [, word, rest] = /^(?:please\s+)?\/?([a-z]+)(?:\s+([^]*))?$/i.exec(line) ?? [];
  const keyword = keywords.find(({ words }) => words.includes(word?.toLowerCase() ?? ''));
  return keyword && { keyword, rest: (rest ?? '').trim() };
}

/** The language as a Markdown table, for people and for the README. */
export function keywordTable(): string {
  const rows = keywords.map(({ words, usage, description }) => {
    const prompt = words.map((word) => `\`${`${word} ${usage}`.trim().replaceAll('|', '\\|')}\``).join(', ');
    return `| ${prompt} | ${description} |`;
  });
  return ['| prompt | what happens |', '|---|---|', ...rows].join('\n');
}
