import { plainLines } from '../../lib/plain-lines.ts';

const MAX_CHARACTERS = 60;

/** A short title from a message: its first line with text, cut at a word. '' if there is none. */
export function titleFrom(text: string): string {
  const line = plainLines(text.split('\n')).next().value;
  if (line === undefined) return '';
  const characters = [...line];
  if (characters.length <= MAX_CHARACTERS) return line;
  const cut = characters.slice(0, MAX_CHARACTERS - 1).join('');
  const atWord = cut.replace(/\s+\S*$/u, '');
  return `${atWord.length > MAX_CHARACTERS / 2 ? atWord : cut}…`;
}
