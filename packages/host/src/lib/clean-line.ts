/**
 * One line of a text for people, of at most `max` UTF-16 code units. Control characters, and format characters, which change the direction of
 * a text, become spaces.
 */
export function cleanLine(text: string, max: number): string {
  const line = text
    // Longer texts are not read in full; some removed characters may be in between.
    .slice(0, 4 * max)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= max) return line;
  // A cut may split a surrogate pair.
  return `${line.slice(0, max - 1).replace(/\p{Cs}$/u, '')}…`;
}
