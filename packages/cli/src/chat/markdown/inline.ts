import type { MarkedToken, Token } from 'marked';
import { known } from '../../render/bounded-markdown.ts';
import { plain } from '../../render/plain-text.ts';
import { type Line, type Span, type Style, span } from '../text/line.ts';

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

const unescaped = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (name) => entities[name] ?? name);

/** Inline Markdown as lines: more than one where it has hard breaks. HTML stays as it is written. */
export function inlineLines(tokens: readonly Token[] | undefined, style: Style = {}): Line[] {
  const lines: Span[][] = [[]];
  const put = (text: string, look: Style): void => {
    // A reference such as `&#27;` is a control character only now.
    for (const [index, piece] of plain(text).split('\n').entries()) {
      // A newline in a paragraph is a space; a hard break is a token of its own.
      if (index > 0) lines.at(-1)?.push(span(' ', look));
      if (piece !== '') lines.at(-1)?.push(span(piece, look));
    }
  };
  const walk = (list: readonly Token[] | undefined, look: Style): void => {
    for (const token of known(list)) takeInline(token, look);
  };
  const takeInline = (token: MarkedToken, look: Style): void => {
    switch (token.type) {
      case 'strong':
        return walk(token.tokens, { ...look, bold: true });
      case 'em':
        return walk(token.tokens, { ...look, italic: true });
      case 'del':
        return walk(token.tokens, { ...look, strike: true });
      case 'codespan':
        return put(unescaped(token.text), { ...look, color: 'cyan' });
      case 'br':
        lines.push([]);
        return;
      case 'link':
      case 'image': {
        const href = token.href;
        const label = token.text;
        if (token.type === 'link') walk(token.tokens, { ...look, underline: true });
        else put(label, { ...look, italic: true });
        // Where a link leads is always said: what it is called may lie.
        if (href !== label && href !== `mailto:${label}`)
          put(label === '' ? href : ` (${href})`, { ...look, dim: true });
        return;
      }
      case 'escape':
      case 'text':
        if ('tokens' in token && token.tokens !== undefined) return walk(token.tokens, look);
        return put(unescaped(token.text), look);
      case 'checkbox':
        return;
      default:
        return put(token.raw, look);
    }
  };
  walk(tokens, style);
  return lines;
}
