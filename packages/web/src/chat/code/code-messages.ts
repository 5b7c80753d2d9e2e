/** A piece of a line and its colour, an index into `TOKEN_CLASSES`; 0: the colour of the text. */
export type CodeToken = readonly [text: string, color: number];

/** A highlighted line. */
export type CodeLine = readonly CodeToken[];

/** Names of the colours of code, without the prefix `token-`. */
export const TOKEN_NAMES = [
  '',
  'constant',
  'string',
  'comment',
  'keyword',
  'parameter',
  'function',
  'string-expression',
  'punctuation',
  'link',
  'inserted',
  'deleted',
  'changed',
] as const;

/** Classes of the colours of code; `code.css` defines them. */
export const TOKEN_CLASSES: readonly (string | undefined)[] = TOKEN_NAMES.map((name) =>
  name === '' ? undefined : `code-${name}`,
);

/** Work for the code worker. */
export type CodeRequest =
  /** Highlights a document; a later request with the same id is about a later version of it. */
  | { readonly kind: 'highlight'; readonly id: number; readonly language: string; readonly code: string }
  /** Forgets a document. */
  | { readonly kind: 'forget'; readonly id: number }
  | {
      readonly kind: 'diff';
      readonly id: number;
      readonly before: string;
      readonly after: string;
      readonly ignoresWhitespace: boolean;
    };

/** What the code worker answers. */
export type CodeAnswer =
  /** Lines of a document from `from` on. */
  | {
      readonly kind: 'highlighted';
      readonly id: number;
      readonly from: number;
      readonly lines: readonly CodeLine[];
    }
  | { readonly kind: 'compared'; readonly id: number; readonly changes: readonly LineChange[] | undefined };

/** Lines that are the same, only in the old version, or only in the new one. */
export interface LineChange {
  readonly kind: 'same' | 'removed' | 'added';
  readonly lines: readonly string[];
}
