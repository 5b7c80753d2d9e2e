import { hostname } from 'node:os';

/** What stands for a byte is undone: `%HH` of URLs. Invalid UTF-8 is no path that could be named here. */
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

/** The same text if it can be the absolute path of a folder. */
export const absolutePath = (text: string | undefined): string | undefined =>
  text !== undefined && text.startsWith('/') && !text.includes('\0') ? text : undefined;

/** The path of a `file:` URL on this machine, given as bytes in latin1; anything else, another machine too: undefined. */
export function pathOfFileUrl(url: string, machine: string = hostname()): string | undefined {
  const match = /^file:\/\/([^/]*)(\/[^]*)$/i.exec(url);
  if (match === null) return undefined;
  const [, host = '', path = ''] = match;
  return isThisMachine(host.toLowerCase(), machine.toLowerCase())
    ? absolutePath(decoded(bytesOfUrl(path)))
    : undefined;
}

/** Shells report the full name or the short one, whatever the machine calls itself. */
const isThisMachine = (host: string, machine: string): boolean =>
  host === '' || host === 'localhost' || host === machine || host.split('.')[0] === machine.split('.')[0];

/** Text of a shell-integration mark, given as bytes in latin1: `\xHH` is a byte, `\\` a backslash, all of it UTF-8. */
export function unescapeMark(text: string): string {
  const bytes = text.replace(/\\(?:x([0-9a-f]{2})|\\)/gi, (_, hex?: string) =>
    hex === undefined ? '\\' : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
