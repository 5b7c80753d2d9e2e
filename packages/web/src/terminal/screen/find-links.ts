/** A link in a line of output. */
export interface FoundLink {
  readonly url: string;
  /** First and last position in the line, in UTF-16 units; the last is included. */
  readonly start: number;
  readonly end: number;
}

const URL_PATTERN = /\bhttps?:\/\/[^\s"'<>`{}|\\^\u0000-\u001f\u007f-\u009f]+/gi;

/** The web addresses in a line, without punctuation that ends a sentence. */
export function findLinks(line: string): readonly FoundLink[] {
  return Array.from(line.matchAll(URL_PATTERN), (match) => {
    const url = withoutTail(match[0]);
    return { url, start: match.index, end: match.index + url.length - 1 };
  }).filter(({ url }) => URL.canParse(url));
}

function withoutTail(url: string): string {
  let kept = url.replace(/[.,;:!?]+$/, '');
  // A closing bracket belongs to the text around unless the address opens it.
  while (/[)\]]$/.test(kept)) {
    const close = kept.at(-1) ?? '';
    const open = close === ')' ? '(' : '[';
    if (kept.split(open).length >= kept.split(close).length) break;
    kept = kept.slice(0, -1).replace(/[.,;:!?]+$/, '');
  }
  return kept;
}
