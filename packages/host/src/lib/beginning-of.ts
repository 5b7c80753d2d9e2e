/** The first `limit` code units of a text, without a half character at the end. */
export function beginningOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, limit).replace(/[\ud800-\udbff]$/u, '');
}
