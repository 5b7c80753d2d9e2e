/** Most characters of a text that a view gives. */
const MAX_TEXT = 32 * 1024;
/** Most characters of a link. */
const MAX_URL = 2_048;

/** Tag characters, which are invisible and can carry text for a model. */
const TAGS = /[\u{e0000}-\u{e007f}]/gu;

/** A link of the web that a view wants to open, in the form in which it is opened. `undefined`: it is none, or has an account in it. */
export function linkOf(url: unknown): string | undefined {
  const parsed = typeof url === 'string' && url.length <= MAX_URL ? URL.parse(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined;
  return parsed.username === '' && parsed.password === '' ? parsed.href : undefined;
}

/** The text of content blocks of MCP, without invisible tags. `undefined`: they are no list of texts, or too long. */
export function textOf(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const blocks: readonly unknown[] = content;
  const texts: string[] = [];
  for (const block of blocks) {
    if (typeof block !== 'object' || block === null || !('type' in block) || block.type !== 'text')
      return undefined;
    if (!('text' in block) || typeof block.text !== 'string') return undefined;
    texts.push(block.text);
  }
  const text = texts.join('\n\n').replace(TAGS, '').trim();
  return text.length > MAX_TEXT ? undefined : text;
}

/** What a view wants the model to know, as one text: its blocks, then its data as JSON. `undefined`: unusable, or too long. */
export function contextOf(content: unknown, structured: unknown): string | undefined {
  const text = textOf(content ?? []);
  if (text === undefined || structured === undefined) return text;
  if (typeof structured !== 'object' || structured === null || Array.isArray(structured)) return undefined;
  return textOf([
    ...(text === '' ? [] : [{ type: 'text', text }]),
    { type: 'text', text: JSON.stringify(structured, undefined, 2) },
  ]);
}
