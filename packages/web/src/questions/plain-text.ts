import { type StringOrMarkdown, textOf } from '@agenthost/protocol';

/** A title or a sentence of an agent without the marks of inline code and emphasis. */
export function plainText(value: StringOrMarkdown): string {
  const written = textOf(value);
  if (typeof value === 'string') return written;
  return written.replaceAll(/(`+)(.+?)\1/g, '$2').replaceAll(/\*\*(.+?)\*\*/g, '$1');
}
