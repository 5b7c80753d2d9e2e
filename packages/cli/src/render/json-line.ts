/** What JSON leaves as it is and a terminal would obey. */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A value as one line of JSON that is harmless on a terminal, too. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value).replace(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text}\n`;
}
