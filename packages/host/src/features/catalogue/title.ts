const MAX_CHARACTERS = 60;

/**
 * Complete escape sequences: control sequences, strings for the terminal with their end, and others. An
 * incomplete one ends with its line.
 */
const SEQUENCES =
  /(?:\u001b\[|\u009b)[ -?]*[@-~]?|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])\P{Cc}*(?:\u001b\\?|\p{Cc})?|\u001b[ -/]*[0-~]?/gu;

/** A short title from a message: its first line with text, cut at a word. '' if there is none. */
export function titleFrom(text: string): string {
  const line = text
    .split('\n')
    .map((each) =>
      each
        .replace(SEQUENCES, '')
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
