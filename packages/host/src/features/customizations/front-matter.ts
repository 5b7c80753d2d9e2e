import type { Document } from 'yaml';
import { beginningOf } from '../../lib/beginning-of.ts';

/** A problem in a file of customizations. `line` and `column` count from 1. Without a line it concerns the whole file. */
export interface ParseFault {
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** A fault of a file as one line for people: `rules/style.mdc:3:8: expected …`. */
export function faultLine(path: string, { line, column, message }: ParseFault): string {
  const place = line === undefined ? '' : `:${line}:${column ?? 1}`;
  return `${path}${place}: ${message}`;
}

/** The fields of a file's front matter. The readers note a fault for a value of another kind, and return `undefined`. */
export interface Fields {
  /** A text, cut to `limit` characters. `undefined` also for an empty one. */
  text(key: string, limit: number): string | undefined;
  flag(key: string): boolean | undefined;
  /** A list of texts, or one text with commas between them. Empty entries are left out. */
  list(key: string): readonly string[] | undefined;
}

/** A Markdown file with YAML front matter. */
export interface Markdown {
  readonly fields: Fields;
  /** The text after the front matter, without blank lines at both ends. */
  readonly body: string;
  /** Grows while fields are read. */
  readonly faults: ParseFault[];
  /** Whether the front matter could be read. */
  readonly isReadable: boolean;
}

/** Maximum members of a list in front matter, and characters of each. */
const MAX_LIST = 100;
const MAX_MEMBER = 500;

const FRONT_MATTER = /^---[ \t]*\r?\n([^]*?)(?:^---[ \t]*(?:\r?\n|$))([^]*)$/m;

/** Patterns start with `*`, which YAML reads as an alias. Tools that write such files do not quote them. */
const BARE_PATTERN = /^(globs|applyTo):([ \t]+)(\*[^\r\n]*?)([ \t]*)$/gm;

/** Splits a file into front matter and body. The `yaml` library is loaded on first use. */
export async function parseMarkdown(text: string): Promise<Markdown> {
  const source = text.replace(/^\ufeff/, '');
  const match = source.startsWith('---') ? FRONT_MATTER.exec(source) : null;
  if (match === null) {
    const isOpen = /^---[ \t]*\r?\n/.test(source);
    const faults: ParseFault[] = isOpen
      ? [{ line: 1, column: 1, message: 'the front matter has no closing line ---' }]
      : [];
    return { fields: NO_FIELDS, body: source.trim(), faults, isReadable: !isOpen };
  }
  const [, front = '', body = ''] = match;
  const { LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(front.replace(BARE_PATTERN, quoted), { lineCounter: lines });
  const [error] = document.errors;
  const faults: ParseFault[] = [];
  const at = (offset: number, message: string): ParseFault => {
    const { line, col } = lines.linePos(offset);
    // The first line of the file is the opening `---`.
    return { line: line + 1, column: col, message };
  };
  if (error !== undefined) {
    faults.push(at(error.pos[0], firstLine(error.message)));
    return { fields: NO_FIELDS, body: body.trim(), faults, isReadable: false };
  }
  const values = valuesOf(document);
  if (values === undefined) {
    faults.push({ line: 2, column: 1, message: 'expected fields such as `description: text`' });
    return { fields: NO_FIELDS, body: body.trim(), faults, isReadable: false };
  }
  const wrong = (key: string, expected: string): undefined => {
    const node = document.get(key, true);
    const range = rangeOf(node);
    const message = `${key}: expected ${expected}`;
    faults.push(range === undefined ? { message } : at(range, message));
  };
  return { fields: fieldsOf(values, wrong), body: body.trim(), faults, isReadable: true };
}

const quoted = (_: string, ...[key = '', gap = '', pattern = '', end = '']: string[]): string =>
  `${key}:${gap}${JSON.stringify(pattern)}${end}`;

const firstLine = (text: string): string =>
  beginningOf((text.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, ''), 300);

/** `undefined`: it is no map, or its aliases would expand without end. */
function valuesOf(document: Document.Parsed): ReadonlyMap<string, unknown> | undefined {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 10 });
  } catch {
    // An alias that is unknown or used too often: the caller reports the front matter as unreadable.
    return undefined;
  }
  if (value === null) return new Map();
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value));
}

function rangeOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range))
    return undefined;
  const start: unknown = node.range[0];
  return typeof start === 'number' ? start : undefined;
}

function fieldsOf(
  values: ReadonlyMap<string, unknown>,
  wrong: (key: string, expected: string) => undefined,
): Fields {
  return {
    text: (key, limit) => {
      const value = values.get(key);
      if (value === undefined || value === null) return undefined;
      if (typeof value === 'number') return String(value);
      if (typeof value !== 'string') return wrong(key, 'a text');
      return value.trim() === '' ? undefined : beginningOf(value.trim(), limit);
    },
    flag: (key) => {
      const value = values.get(key);
      if (value === undefined || value === null) return undefined;
      return typeof value === 'boolean' ? value : wrong(key, 'true or false');
    },
    list: (key) => {
      const value = values.get(key);
      if (value === undefined || value === null || value === '') return undefined;
      const members: unknown[] =
        typeof value === 'string' ? splitList(value) : Array.isArray(value) ? value : [];
      if (typeof value !== 'string' && !Array.isArray(value)) return wrong(key, 'a list of texts');
      const texts = members.filter((each) => typeof each === 'string');
      if (texts.length < members.length) return wrong(key, 'a list of texts');
      return texts
        .map((each) => each.trim())
        .filter((each) => each !== '' && each.length <= MAX_MEMBER)
        .slice(0, MAX_LIST);
    },
  };
}

/** Commas inside braces belong to a pattern such as `*.{ts,tsx}`. */
const splitList = (text: string): string[] => text.split(/,(?![^{]*\})/);

const NO_FIELDS: Fields = { text: () => undefined, flag: () => undefined, list: () => undefined };
