import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

const esc = '\u001b';

/** Keys by name, as a terminal sends them. */
const named: Readonly<Record<string, string>> = {
  enter: '\r',
  return: '\r',
  tab: '\t',
  'shift-tab': `${esc}[Z`,
  esc,
  escape: esc,
  space: ' ',
  backspace: '\u007f',
  delete: `${esc}[3~`,
  insert: `${esc}[2~`,
  up: `${esc}[A`,
  down: `${esc}[B`,
  right: `${esc}[C`,
  left: `${esc}[D`,
  home: `${esc}[H`,
  end: `${esc}[F`,
  'page-up': `${esc}[5~`,
  'page-down': `${esc}[6~`,
  ...Object.fromEntries(['P', 'Q', 'R', 'S'].map((letter, index) => [`f${index + 1}`, `${esc}O${letter}`])),
  ...Object.fromEntries(
    [15, 17, 18, 19, 20, 21, 23, 24].map((code, index) => [`f${index + 5}`, `${esc}[${code}~`]),
  ),
};

/** What `--key` types for one name: a named key, one character, or either behind `ctrl-` or `alt-`. Throws a usage error. */
export function keySequence(name: string): string {
  const key = name.length === 1 ? name : name.toLowerCase();
  const text = named[key] ?? ([...key].length === 1 ? key : undefined);
  if (text !== undefined) return text;
  if (/^(?:ctrl|c)-./.test(key)) {
    const control = controlCharacter(key.replace(/^\w+-/, ''));
    if (control !== undefined) return control;
  }
  if (/^(?:alt|meta|m)-./.test(key)) return `${esc}${keySequence(name.replace(/^\w+-/, ''))}`;
  throw usageError(
    `--key: no key is called ${oneLine(name) || '(nothing)'}; take ctrl-c, alt-x, a character, or one of ${Object.keys(named).join(', ')}`,
  );
}

/** The control character of a letter or of one of `@[\]^_`, `space` and `?` included; `undefined` when there is none. */
export function controlCharacter(key: string): string | undefined {
  if (key === 'space') return '\u0000';
  if (key === '?') return '\u007f';
  const upper = key.toUpperCase();
  return /^[@-_]$/.test(upper) ? String.fromCharCode(upper.charCodeAt(0) - 64) : undefined;
}

/** The prefix key as typed and as told, from `ctrl-]` or `^]`. Throws a usage error. */
export function prefixKey(given: string): { readonly character: string; readonly name: string } {
  const [, key = ''] = /^(?:ctrl-|c-|\^)(.+)$/i.exec(given) ?? [];
  const character = controlCharacter(key.toLowerCase());
  const isFree = character !== undefined && !['\u001b', '\r', '\n', '\t', '\u007f'].includes(character);
  if (isFree) return { character, name: `Ctrl-${key.toLowerCase()}` };
  throw usageError(
    `--detach-key: expected a control key such as ctrl-] or ctrl-a (none of those of Escape, Enter, Tab), got ${oneLine(given) || '(nothing)'}`,
  );
}
