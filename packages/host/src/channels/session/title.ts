const MAX_CHARACTERS = 60;

/** A short title from a message: its first line with text, cut at a word; '' when there is none. */
export function titleFrom(text: string): string {
  const line = text
    .split('\n')
    .map((each) =>
      each
        .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .find((each) => each !== '');
  if (line === undefined) return '';
  const characters = [...line];
  if (characters.length <= MAX_CHARACTERS) return line;
  const cut = characters.slice(0, MAX_CHARACTERS - 1).join('');
  const atWord = cut.replace(/\s+\S*$/u, '');
  return `${atWord.length > MAX_CHARACTERS / 2 ? atWord : cut}…`;
}
