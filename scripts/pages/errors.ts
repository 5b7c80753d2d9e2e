import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLOSE_CODES, ErrorCodes } from '@agenthost/protocol';
import { EXIT } from '../../packages/cli/src/process/exit.ts';
import { CLOSE_TEXTS, ERROR_TEXTS, ERROR_TYPE_TEXTS, EXIT_TEXTS, REJECTION_TEXTS } from './error-texts.ts';

const root = join(import.meta.dirname, '../..');

/** `docs/errors.md`. Throws when the sources have a code without a text here, or a text has no code in the sources. */
export function errorsPage(): string {
  return [
    '# Errors and exit codes',
    '',
    '## Exit codes',
    '',
    'Every command of `agenthost` ends with one of these codes. `run "!command"`, `term run`, `term attach` and `term wait` end with the exit',
    'code of the program that ran; 128 + n stands for signal n.',
    '',
    '| code | meaning |',
    '|---|---|',
    ...namedRows(EXIT, EXIT_TEXTS).map(([, code, text]) => `| ${code} | ${text} |`),
    '',
    '## Errors of requests',
    '',
    'A request that fails is answered with `error`: `code`, `message`, and `data` where the code has data. `data["x-refusal"]` has the reason',
    'in a form for programs: scope, limit, parameter, folder, setting, TLS or database server.',
    '',
    '| code | name | meaning |',
    '|---|---|---|',
    ...namedRows(ErrorCodes, ERROR_TEXTS).map(
      ([name, code, text]) => `| \`${code}\` | \`${name}\` | ${text} |`,
    ),
    '',
    '## Rejected actions',
    '',
    'The host returns a rejected action to its sender with `rejectionReason`: one of these codes, a colon, and a sentence.',
    '',
    '| code | meaning |',
    '|---|---|',
    ...rowsOf(REJECTION_TEXTS, rejectionCodes()),
    '',
    '## Failed turns and sessions',
    '',
    'A turn or a session that fails has an `error` with a `message` and an `errorType`:',
    '',
    '| `errorType` | meaning |',
    '|---|---|',
    ...rowsOf(ERROR_TYPE_TEXTS, errorTypes()),
    '',
    '## Close codes',
    '',
    'These codes belong to agenthost. The host also uses 1008 (too many messages) and 1009 (a message above the size limit). Clients reconnect after any other code and after a close without a code.',
    '',
    '| code | meaning, and the next step of a client |',
    '|---|---|',
    ...Object.values(CLOSE_CODES).map((code) => `| ${code} | ${CLOSE_TEXTS[code]} |`),
    '',
  ].join('\n');
}

/** A code and its text, by name. The texts are checked to be complete where they are written. */
const namedRows = (
  codes: Readonly<Record<string, number>>,
  texts: Readonly<Record<string, string>>,
): [name: string, code: number, text: string][] =>
  Object.entries(codes).map(([name, code]) => [name, code, texts[name] ?? '']);

function rowsOf(texts: Readonly<Record<string, string>>, codes: readonly string[]): string[] {
  const missing = codes.filter((code) => !(code in texts));
  const needless = Object.keys(texts).filter((code) => !codes.includes(code));
  if (missing.length + needless.length > 0) {
    throw new Error(
      `scripts/pages/error-texts.ts: no text for [${missing.join(', ')}]; no source has [${needless.join(', ')}]`,
    );
  }
  return codes.map((code) => `| \`${code}\` | ${texts[code]} |`);
}

const rejectionCodes = (): string[] =>
  [
    ...codesIn('packages/host/src/**/*.ts', /\breject(?:Key)?\(\s*'(\w+)'/g),
    ...codesIn('packages/protocol/src/chat/input-check.ts', /\bcode: '(\w+)'/g),
  ]
    .reduce<string[]>((all, code) => (all.includes(code) ? all : [...all, code]), [])
    .toSorted();

const errorTypes = (): string[] =>
  codesIn('packages/{host,agents}/src/**/*.ts', /(?:\bAgentError\(|\berrorType:)\s*'(\w+)'/g).toSorted();

/** The first group of every match in the sources, each once. */
function codesIn(files: string, pattern: RegExp): string[] {
  const paths = globSync(files, { cwd: root }).filter((path) => !path.endsWith('.test.ts'));
  const codes = paths.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(pattern)].flatMap(([, code]) => code ?? []),
  );
  return [...new Set(codes)];
}
