import { basename } from 'node:path';
import { cleanLine } from '../lib/clean-line.ts';

/** Longest name and title that clients get. */
const MAX_LENGTH = 80;

/** Programs that run a script. */
const INTERPRETERS =
  /^(?:node|bun|deno|python[\d.]*|ruby[\d.]*|perl[\d.]*|php[\d.]*|java|tsx|ts-node|dotnet|bash|sh|zsh)$/;

/** Words between a program and its script. */
const COMMANDS = new Set(['run', 'serve', 'start', 'exec', 'task']);

/**
 * The name of a program and what it runs, from its arguments. Other arguments are not shown: they may hold secrets. `undefined`: there are no
 * arguments.
 */
export function programName(args: readonly string[]): { name: string; title?: string } | undefined {
  const [first, ...rest] = args;
  if (first === undefined) return undefined;
  // A program may replace its arguments by a title, such as `next-server (v15.1.0)`.
  const name = cleanLine(/\s/.test(first) ? first : basename(first).replace(/^-/, ''), MAX_LENGTH);
  if (name === '') return undefined;
  const title = INTERPRETERS.test(name) ? scriptOf(rest) : undefined;
  return title === undefined || title === name ? { name } : { name, title };
}

/** Options of interpreters with a value of its own. */
const WITH_VALUE = /^(?:-C|--conditions|-r|--require|--import|--loader|-W|-X|-I|-cp|--config)$/;

function scriptOf(args: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    if (WITH_VALUE.test(args[index - 1] ?? '')) continue;
    if (arg === '-m' || arg === '-jar') return clean(args[index + 1]);
    // The text of a program, not its file.
    if (/^(?:-c|-e|-p|--eval|--print)$/.test(arg)) return undefined;
    if (arg.startsWith('-') || COMMANDS.has(arg)) continue;
    return clean(arg);
  }
  return undefined;
}

function clean(path: string | undefined): string | undefined {
  const file = basename(path ?? '');
  // `node_modules/vite/bin/vite.js` is called vite.
  const name = path?.includes('/node_modules/') === true ? file.replace(/\.[cm]?js$/, '') : file;
  return cleanLine(name, MAX_LENGTH) || undefined;
}
