/** The beginning of a text, at most so many code units; never half of a character. */
export function beginningOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, limit).replace(/[\ud800-\udbff]$/u, '');
}
