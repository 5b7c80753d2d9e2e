/** Largest page of a view, in UTF-16 code units. */
const MAX_LENGTH = 8 * 1024 * 1024;

/** The page in a result of `resources/read`. Throws `unusable` in words when there is none. */
export function viewHtml(result: unknown, unusable: string): string {
  const contents: unknown[] =
    typeof result === 'object' && result !== null && 'contents' in result && Array.isArray(result.contents)
      ? result.contents
      : [];
  for (const each of contents) {
    if (typeof each !== 'object' || each === null) continue;
    const mimeType = 'mimeType' in each && typeof each.mimeType === 'string' ? each.mimeType : '';
    if (!/^text\/html\b/i.test(mimeType)) continue;
    const html =
      'text' in each && typeof each.text === 'string'
        ? each.text
        : 'blob' in each && typeof each.blob === 'string'
          ? new TextDecoder().decode(Uint8Array.from(atob(each.blob), (byte) => byte.charCodeAt(0)))
          : '';
    if (html !== '' && html.length <= MAX_LENGTH) return html;
  }
  throw new Error(unusable);
}
