import { oneLine } from '../render/plain-text.ts';

/** Characters of one line: what is longer is cut, with dots. */
const lineLength = 1_000;

/** A block of code whose fence is longer than any inside. */
export function fenced(body: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(body.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${body}\n${fence}`;
}

/** Text on one line in which nothing is markup. */
export const inline = (text: string): string =>
  oneLine(text, lineLength).replace(/[\\`*_[\]<>#|~&]/g, '\\$&');
