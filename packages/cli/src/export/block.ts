/** A picture's bytes in base64. */
export interface Picture {
  readonly contentType: string;
  readonly data: string;
}

/** What a page shows of a turn, whatever the page is written in. Texts are as they came, control characters and all. */
export type Block =
  /** Markdown that a person or a model wrote. */
  | { readonly kind: 'markdown'; readonly text: string }
  /** One line about something. */
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'code'; readonly label?: string; readonly text: string; readonly language?: string }
  /** A unified diff. */
  | { readonly kind: 'diff'; readonly label: string; readonly text: string }
  | ({ readonly kind: 'picture'; readonly label: string } & Picture)
  /** Leads to a chat of the same export. */
  | { readonly kind: 'chat'; readonly title: string; readonly chat: string }
  /** Folded away under its summary. */
  | {
      readonly kind: 'fold';
      readonly summary: string;
      readonly mark?: 'done' | 'failed' | 'refused';
      readonly blocks: readonly Block[];
    };
