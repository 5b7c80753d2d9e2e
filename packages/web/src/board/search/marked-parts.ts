/** A part of a snippet. */
export interface SnippetPart {
  /** Offset in the snippet. */
  readonly at: number;
  readonly text: string;
  readonly isMatch: boolean;
}

/** Cuts a snippet at the borders of its matches. Ranges out of order or beyond the text are left out. */
export function markedParts(snippet: string, matches: readonly (readonly [number, number])[]): SnippetPart[] {
  const parts: SnippetPart[] = [];
  let at = 0;
  const add = (end: number, isMatch: boolean): void => {
    if (end > at) parts.push({ at, text: snippet.slice(at, end), isMatch });
    at = Math.max(at, end);
  };
  for (const [start, end] of matches) {
    if (start < at || end > snippet.length || end <= start) continue;
    add(start, false);
    add(end, true);
  }
  add(snippet.length, false);
  return parts;
}
