import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { isTest, root, sourcePaths } from '../source-graph.ts';

/** A command line of the program that a text tells people to type. */
export interface NamedCommand {
  /** Place of the command line. */
  readonly place: string;
  /** Text after the program's name. */
  readonly args: string;
}

const program = /(?<![\w/.@-])(?:npx )?agenthost (?=[a-z-])/;

/** The command lines in fenced blocks and code spans of a Markdown file. */
export function commandsOfDocument(path: string): NamedCommand[] {
  const text = readFileSync(join(root, path), 'utf8');
  const fences = [...text.matchAll(/^ *(`{3,})[^\n]*\n([^]*?)\n *\1 *$/gm)].map(([, , code = '']) =>
    // A line that ends with `\` goes on in the next one.
    code.replace(/\\\n\s*/g, ' '),
  );
  const prose = text.replace(/^ *(`{3,})[^\n]*\n[^]*?\n *\1 *$/gm, '');
  // With a `$` only lines that begin with it are typed; without one all lines are.
  const typed = fences.flatMap((code) => {
    const lines = code.split('\n');
    const marked = lines.filter((line) => line.startsWith('$ '));
    return marked.length > 0 ? marked : lines.filter((line) => /^(?:npx )?agenthost /.test(line));
  });
  const spans = [...prose.matchAll(/`([^`\n]+(?:\n[^`\n]+)?)`/g)].map(([, code = '']) =>
    code.replace('\n', ' '),
  );
  return [...typed, ...spans].flatMap((line) => commandIn(line, path));
}

function commandIn(typed: string, place: string): NamedCommand[] {
  // The name of a container is no program.
  const line = typed.replace(/\b(?:docker|podman) (?:\S+ )*?exec (?:-\w+ )*\S+ /, '');
  const [found] = program.exec(line) ?? [];
  if (found === undefined) return [];
  return [{ place, args: line.slice(line.indexOf(found) + found.length) }];
}

/** The examples in a command's help. */
export function examplesOfHelp(help: string, place: string): NamedCommand[] {
  const examples = /^Examples:\n((?: {2}.*\n?)*)/m.exec(help)?.[1] ?? '';
  return examples.split('\n').flatMap((line) => commandIn(line, `${place} --help`));
}

/** The command lines in calls of `commandLine(…)`, with `x` for text that is unknown before run time. */
export function commandsOfHints(): NamedCommand[] {
  return cliSources().flatMap((path) => {
    const { program: tree } = parseSync(path, readFileSync(join(root, path), 'utf8'));
    return callsIn(tree).map((args) => ({ place: path, args }));
  });
}

/** Source lines that name a command without `commandLine(…)`. Examples of help and comments do not count. */
export function bareCommandsOfSources(): string[] {
  return cliSources().flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8').replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
    const withoutExamples = text.replace(/\bexample\([^]*?\);/g, '');
    return withoutExamples
      .split('\n')
      .filter((line) => program.test(line))
      .map((line) => `${path}: ${line.trim()}`);
  });
}

const cliSources = (): string[] =>
  sourcePaths().filter((path) => path.startsWith('packages/cli/src/') && !isTest(path));

function callsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(callsIn);
  if (!isNode(node)) return [];
  const { callee, arguments: given } = node;
  const isCall = node['type'] === 'CallExpression' && isNode(callee) && callee['name'] === 'commandLine';
  const own = isCall && Array.isArray(given) ? [textOf(given[0])] : [];
  return [...own, ...Object.values(node).flatMap(callsIn)];
}

function textOf(argument: unknown): string {
  if (!isNode(argument)) return '';
  if (typeof argument['value'] === 'string') return argument['value'];
  const { quasis } = argument;
  if (!Array.isArray(quasis)) throw new Error('commandLine: expected a text that can be read in the source');
  return quasis.map((quasi) => (isNode(quasi) ? String(Object(quasi['value']).cooked) : '')).join('x');
}

const isNode = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The words of a command line as a shell passes them, up to a pipe, a `&`, a redirection, a comment, or the `)` that ends it inside of another
 * command. What a `$(…)` would print stays unknown.
 */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  const token = /\s*(?:(["'])((?:\\.|(?!\1)[^])*)\1|((?:\$\([^)]*\)|[^\s"'])+))(\s{2,}[^]*$)?/y;
  let word = '';
  for (let match = token.exec(line); match !== null; match = token.exec(line)) {
    const [all, , quoted, plain = '', remark] = match;
    if (quoted === undefined && /^(?:[|<;&]|\d?>|#)/.test(plain) && !/^<\w+>/.test(plain)) break;
    const isApart = /^\s/.test(all) || word === '';
    if (isApart && word !== '') words.push(word);
    const isLast = /[;)]$/.test(plain) && !/\$\([^)]*\)$/.test(plain);
    const piece = quoted ?? (isLast ? plain.slice(0, -1) : plain);
    word = (isApart ? '' : word) + (piece === '' ? '""' : piece);
    if (remark !== undefined || isLast) break;
  }
  return word === '' ? words : [...words, word];
}
