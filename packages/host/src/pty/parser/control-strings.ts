import { hostname } from 'node:os';
import { DCS } from './bytes.ts';
import type { OutputEvent, ShellMark } from './events.ts';
import { colorQueries, queryOfDeviceString } from './queries.ts';

/**
 * Limit of our own marks. Shells cut command lines at 48 KiB, which is 192 KiB when every byte is escaped. The limit is below the
 * high-water mark of a pty: a held mark is not acknowledged, and reading must not stop before its end.
 */
export const OWN_MARK_LIMIT_BYTES = 256 * 1024;
/** Limit of titles, folders and marks of other integrations, with introducer and terminator. */
export const STRING_LIMIT_BYTES = 64 * 1024;
/** Limit of control sequences, and of queries for colours, capabilities and settings. */
export const SEQUENCE_LIMIT_BYTES = 4 * 1024;

const TITLE_LIMIT = 512;

/** The shell integration of iTerm2. Other uses of OSC 1337, such as images, stay in the text. */
const ITERM_MARKS = ['SetMark', 'CurrentDir=', 'RemoteHost=', 'ShellIntegrationVersion='];

/** More than is needed to tell what an OSC is: a number, and the longest of the names above. */
const LONGEST_BEGINNING = 48;

/** Limit of the bytes of this control string that are held until its end; 0 when the parser does not read it. */
type HoldLimit = number | 'undecided';

/** How long to hold a control string of which the bytes from `from` (behind its introducer) have come. */
export function holdLimit(kind: number, data: Buffer, from: number, nonce: string | undefined): HoldLimit {
  const beginning = data.toString('latin1', from, Math.min(data.length, from + LONGEST_BEGINNING));
  if (kind === DCS) {
    if (beginning.length < 2) return '+$'.includes(beginning) ? 'undecided' : 0;
    return /^[+$]q/.test(beginning) ? SEQUENCE_LIMIT_BYTES : 0;
  }
  const [digits = ''] = /^\d{0,8}/.exec(beginning) ?? [];
  if (digits.length === beginning.length) return 'undecided';
  if (digits === '' || !/[;\x07\x1b\xc2]/.test(beginning.charAt(digits.length))) return 0;
  switch (Number(digits)) {
    case 633:
      return nonce !== undefined && beginsWith(data, from, `${digits};${nonce};`)
        ? OWN_MARK_LIMIT_BYTES
        : STRING_LIMIT_BYTES;
    case 0:
    case 2:
    case 7:
    case 133:
      return STRING_LIMIT_BYTES;
    case 10:
    case 11:
    case 12:
      return SEQUENCE_LIMIT_BYTES;
    case 1337: {
      const rest = beginning.slice(digits.length + 1);
      if (ITERM_MARKS.some((name) => rest.startsWith(name))) return STRING_LIMIT_BYTES;
      return ITERM_MARKS.some((name) => name.startsWith(rest)) ? 'undecided' : 0;
    }
    default:
      return 0;
  }
}

const beginsWith = (data: Buffer, from: number, text: string): boolean =>
  data.toString('latin1', from, from + text.length) === text;

/** The events of a control string, and whether it is shell integration and is removed from the text [TERM-3]. */
interface StringMeaning {
  readonly isRemoved: boolean;
  readonly events: readonly OutputEvent[];
}

/** Reads a control string that `holdLimit` had held. `content` is its bytes in latin1, without introducer and terminator. */
export function readString(
  kind: number,
  content: string,
  context: { readonly nonce: string | undefined; readonly terminator: 'bel' | 'st' },
): StringMeaning {
  if (kind === DCS) {
    const query = queryOfDeviceString(content);
    return kept(query === undefined ? [] : [{ type: 'query', query }]);
  }
  const separator = content.indexOf(';');
  const number = Number(separator < 0 ? content : content.slice(0, separator));
  const text = separator < 0 ? '' : content.slice(separator + 1);
  switch (number) {
    case 0:
    case 2:
      return kept(separator < 0 ? [] : [{ type: 'title', title: cleanTitle(text) }]);
    case 10:
    case 11:
    case 12:
      return kept(
        colorQueries(number, text, context.terminator).map((query) => ({ type: 'query' as const, query })),
      );
    case 7:
      return removed(folder(pathOfFileUrl(text)));
    case 633:
      return removed(readOwnMark(text, context.nonce) ?? readForeignFolder(text));
    case 1337:
      return removed(text.startsWith('CurrentDir=') ? folder(utf8(text.slice('CurrentDir='.length))) : []);
    default:
      return removed([]);
  }
}

const kept = (events: readonly OutputEvent[]): StringMeaning => ({ isRemoved: false, events });
const removed = (events: readonly OutputEvent[]): StringMeaning => ({ isRemoved: true, events });

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

function folder(text: string | undefined): OutputEvent[] {
  const path = absolutePath(text);
  return path === undefined ? [] : [{ type: 'cwd', path }];
}

/** Cuts text between characters, and removes control characters. */
const cleanTitle = (bytes: string): string =>
  utf8(bytes)
    .replace(/\p{Cc}/gu, '')
    .slice(0, TITLE_LIMIT)
    .replace(/[\ud800-\udbff]$/, '');

/** Other shell integrations report their folder without a nonce; a program can only change the shown folder. */
function readForeignFolder(text: string): OutputEvent[] {
  return text.startsWith('P;Cwd=') ? folder(unescapeMark(text.slice('P;Cwd='.length))) : [];
}

/** `undefined` for a mark without the nonce, which is not ours. */
function readOwnMark(text: string, nonce: string | undefined): OutputEvent[] | undefined {
  if (nonce === undefined || !text.startsWith(`${nonce};`)) return undefined;
  const said = text.slice(nonce.length + 1);
  const mark = markOf(said.charAt(0), said.charAt(1) === ';' ? said.slice(2) : undefined, said.length);
  return mark === undefined ? [] : [{ type: 'mark', mark }];
}

function markOf(letter: string, text: string | undefined, length: number): ShellMark | undefined {
  if (text === undefined && length > 1) return undefined;
  switch (letter) {
    case 'R':
      return { kind: 'ready' };
    case 'A':
      return { kind: 'prompt' };
    case 'B':
      return { kind: 'input' };
    case 'C':
      return { kind: 'executed', commandLine: unescapeMark(text ?? '') };
    case 'D':
      return { kind: 'finished', exitCode: /^-?\d{1,10}$/.test(text ?? '') ? Number(text) : undefined };
    case 'P': {
      const path = absolutePath(unescapeMark(text ?? ''));
      return path === undefined ? undefined : { kind: 'cwd', path };
    }
    default:
      return undefined;
  }
}

/** Decodes `%HH` of a URL to bytes. */
const bytesOfUrl = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(bytes: string): string | undefined {
  try {
    return strictUtf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}

/** The text if it can be an absolute path; else `undefined`. */
export const absolutePath = (text: string | undefined): string | undefined =>
  text !== undefined && text.startsWith('/') && !text.includes('\0') ? text : undefined;

/** The path of a `file:` URL on this machine, given as bytes in latin1; `undefined` for other URLs and other machines. */
export function pathOfFileUrl(url: string, machine: string = hostname()): string | undefined {
  const match = /^file:\/\/([^/]*)(\/[^]*)$/i.exec(url);
  if (match === null) return undefined;
  const [, host = '', path = ''] = match;
  return isThisMachine(host.toLowerCase(), machine.toLowerCase())
    ? absolutePath(decoded(bytesOfUrl(path)))
    : undefined;
}

/** Shells report the full or the short name of the machine. */
const isThisMachine = (host: string, machine: string): boolean =>
  host === '' || host === 'localhost' || host === machine || host.split('.')[0] === machine.split('.')[0];

/** Text of a shell-integration mark, given as bytes in latin1: `\xHH` is a byte, `\\` a backslash, all of it UTF-8. */
export function unescapeMark(text: string): string {
  const bytes = text.replace(/\\(?:x([0-9a-f]{2})|\\)/gi, (_, hex?: string) =>
    hex === undefined ? '\\' : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
