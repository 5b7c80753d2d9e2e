import type { StringOrMarkdown } from './basics.ts';

/** The text itself, whether or not it is Markdown. */
export const textOf = (text: StringOrMarkdown): string => (typeof text === 'string' ? text : text.markdown);
