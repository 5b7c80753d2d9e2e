import { StringDecoder } from 'node:string_decoder';
import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

const ESC = '\u001b';

/** Keys by name, as a terminal sends them. */
const NAMED_KEYS: Readonly<Record<string, string>> = {
  enter: '\r',
  return: '\r',
  tab: '\t',
  'shift-tab': `${ESC}[Z`,
  esc: ESC,
  escape: ESC,
  space: ' ',
  backspace: '\u007f',
  delete: `${ESC}[3~`,
  insert: `${ESC}[2~`,
  up: `${ESC}[A`,
  down: `${ESC}[B`,
  right: `${ESC}[C`,
  left: `${ESC}[D`,
  home: `${ESC}[H`,
  end: `${ESC}[F`,
  'page-up': `${ESC}[5~`,
  'page-down': `${ESC}[6~`,
  ...Object.fromEntries(['P', 'Q', 'R', 'S'].map((letter, index) => [`f${index + 1}`, `${ESC}O${letter}`])),
  ...Object.fromEntries(
    [15, 17, 18, 19, 20, 21, 23, 24].map((code, index) => [`f${index + 5}`, `${ESC}[${code}~`]),
  ),
};

/** What `--key` types for one name: a named key, one character, or either behind `ctrl-` or `alt-`. Throws a usage error. */
export function keySequence(name: string): string {
  const key = name.length === 1 ? name : name.toLowerCase();
  const text = NAMED_KEYS[key] ?? ([...key].length === 1 ? key : undefined);
  if (text !== undefined) return text;
  if (/^(?:ctrl|c)-./.test(key)) {
    const control = controlCharacter(key.replace(/^\w+-/, ''));
    if (control !== undefined) return control;
  }
  if (/^(?:alt|meta|m)-./.test(key)) return `${ESC}${keySequence(name.replace(/^\w+-/, ''))}`;
  throw usageError(
    `--key: no key is called ${oneLine(name) || '(nothing)'}; expected ctrl-c, alt-x, a character, or one of ${Object.keys(NAMED_KEYS).join(', ')}`,
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
    `--detach-key: expected a control key such as ctrl-] or ctrl-a, but not the one of Escape, Enter or Tab, got ${oneLine(given) || '(nothing)'}`,
  );
}

/** Handlers of a key reader. */
export interface KeyReaderPort {
  /** Keys for the program. */
  type(text: string): void;
  /** The key behind the prefix: one character, or a sequence that is none of ours. */
  command(key: string): void;
  /** Calls back a moment later, unless the result is called first. */
  later(callback: () => void): () => void;
}

/**
 * Answers that an emulator gives. Programs get theirs from the host [TERM-3], and questions are kept from this emulator,
 * so that these come only when it was asked by somebody else. `CSI 1 ; 2 R` to `CSI 1 ; 16 R` are left in: that is F3 with
 * Shift, Alt and Ctrl, which a cursor position in the first line cannot be told from.
 */
const EMULATOR_ANSWERS: readonly RegExp[] = [
  /^\[(?!1;(?:[2-9]|1[0-6])R)\d+;\d+R$/,
  /^\[\?\d+(?:;\d+)*R$/,
  /^\[[?>=][\d;]*c$/,
  /^\[\??[\d;]*\$y$/,
  /^\[(?:[03]|\?[\d;]+)n$/,
  /^\[\d+(?:;\d+)*t$/,
  /^\[\?\d+u$/,
  /^\]\d+;/,
  /^P(?:[01]?[$+]r|[>!]\|)/,
];

/** A control sequence; `ESC O` and a letter; a string that is an answer and no Alt-] or Alt-P; any one character. */
const KEY_TOKEN =
  /\u001b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\u001bO[\x40-\x7e]|\u001b(?:\]\d+;|P[01]?[$+]r|P[>!]\|)[^\u0007\u001b]*(?:\u0007|\u001b\\)|[^]/uy;

/** A beginning of such a sequence, which the next bytes may complete. A lone ESC is the key. */
const UNFINISHED_KEY =
  /\u001b(?:\[[\x30-\x3f]*[\x20-\x2f]*|O|\](?:\d+(?:;[^\u0007\u001b]*\u001b?)?)?|P(?:[01]?(?:[$+](?:r[^\u0007\u001b]*\u001b?)?)?|[>!](?:\|[^\u0007\u001b]*\u001b?)?))$/u;

/** An answer that began and never ended: nobody types that. */
const UNFINISHED_ANSWER = /^\u001b(?:\]\d+;|P[01]?[$+]r|P[>!]\|)/u;

/**
 * Reads the keys of the terminal that a command runs in: passes them on, takes out the emulator's own answers, and finds
 * the prefix key, also as emulators send it when a program has asked for unambiguous keys. Pasted text holds no prefix.
 */
export class KeyReader {
  readonly #port: KeyReaderPort;
  readonly #prefix: string;
  readonly #prefixForms: ReadonlySet<string>;
  readonly #decoder = new StringDecoder('utf8');
  #held = '';
  #cancel: (() => void) | undefined;
  #isPasting = false;
  #hasPrefix = false;

  /** `prefix`: the control character of the prefix key. */
  constructor(prefix: string, port: KeyReaderPort) {
    this.#port = port;
    this.#prefix = prefix;
    const code = prefix.charCodeAt(0) + 64;
    const codes = [code, String.fromCharCode(code).toLowerCase().charCodeAt(0)];
    this.#prefixForms = new Set([
      prefix,
      ...codes.flatMap((key) => [`\u001b[27;5;${key}~`, `\u001b[${key};5u`]),
    ]);
  }

  /** Takes the next bytes read; a character split between two reads is one. */
  read(bytes: Buffer): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const text = this.#held + this.#decoder.write(bytes);
    const [begun = ''] = UNFINISHED_KEY.exec(text) ?? [];
    this.#held = begun;
    this.#take(text.slice(0, text.length - begun.length));
    // Emulators write an answer at once; what waits is a key, such as Alt-[.
    if (begun !== '') this.#cancel = this.#port.later(() => this.#release());
  }

  /** Gives up what waits. */
  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #release(): void {
    this.#cancel = undefined;
    const held = this.#held;
    this.#held = '';
    if (!UNFINISHED_ANSWER.test(held)) this.#take(held);
  }

  #take(text: string): void {
    let typed = '';
    const flush = (): void => {
      if (typed !== '') this.#port.type(typed);
      typed = '';
    };
    for (KEY_TOKEN.lastIndex = 0; KEY_TOKEN.lastIndex < text.length; ) {
      const [key = ''] = KEY_TOKEN.exec(text) ?? [];
      if (key === '') break;
      if (key === '\u001b[200~' || key === '\u001b[201~') this.#isPasting = key === '\u001b[200~';
      if (key.length > 1 && EMULATOR_ANSWERS.some((answer) => answer.test(key.slice(1)))) continue;
      const isPrefix = !this.#isPasting && this.#prefixForms.has(key);
      if (this.#hasPrefix) {
        this.#hasPrefix = false;
        flush();
        if (isPrefix) typed += this.#prefix;
        else this.#port.command(plainKey(key));
      } else if (isPrefix) this.#hasPrefix = true;
      else typed += key;
    }
    flush();
  }
}

/** The character of a key that is sent as a sequence: `CSI 99 u` is c. */
function plainKey(key: string): string {
  const [, code] = /^\u001b\[(\d+)(?:;1)?u$/u.exec(key) ?? [];
  return code === undefined ? key : String.fromCodePoint(Math.min(Number(code), 0x10ffff));
}
