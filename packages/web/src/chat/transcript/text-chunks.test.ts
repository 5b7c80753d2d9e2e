import { describe, expect, it } from 'vitest';
import { ChunkScanner, chunkText } from './text-chunks.ts';

const textsOf = (text: string): string[] =>
  new ChunkScanner().chunksOf(text).map((chunk) => chunkText(text, chunk));

const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, index) => `Paragraph ${index} ${'word '.repeat(40)}`).join('\n\n');

describe('the chunks of a long Markdown text', () => {
  it('leave a short text whole', () => {
    expect(textsOf('# Title\n\nText')).toEqual(['# Title\n\nText']);
  });

  it('join to the text, and each begins with a paragraph', () => {
    const text = paragraphs(60);
    const texts = textsOf(text);
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.join('')).toBe(text);
    for (const each of texts) expect(each).toMatch(/^Paragraph/);
  });

  it('do not cut a list with blank lines between its entries before the limit', () => {
    const list = Array.from({ length: 12 }, (_, index) => `${index + 1}. ${'entry '.repeat(40)}`).join(
      '\n\n',
    );
    expect(textsOf(list)).toEqual([list]);
  });

  it('open a code fence again in the next chunk', () => {
    const code = `\`\`\`ts\n${'const a = 1; // a line of code\n'.repeat(400)}\`\`\`\n\nAfter.`;
    const texts = textsOf(code);
    expect(texts.length).toBeGreaterThan(1);
    for (const each of texts) expect(each.startsWith('```ts\n')).toBe(true);
  });

  it('cut a line without an end', () => {
    const line = 'and on it goes '.repeat(4_000);
    const texts = textsOf(line);
    expect(texts.join('')).toBe(line);
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(9_000);
  });

  it('are the same while a text grows as when it came at once', () => {
    const text = `${paragraphs(30)}\n\n\`\`\`js\n${'x();\n'.repeat(1_500)}\`\`\`\n\n${'long line '.repeat(3_000)}`;
    const scanner = new ChunkScanner();
    let grown = scanner.chunksOf('');
    for (let length = 0; length <= text.length; length += 37) grown = scanner.chunksOf(text.slice(0, length));
    grown = scanner.chunksOf(text);
    const atOnce = new ChunkScanner().chunksOf(text);
    expect(
      grown
        .map((chunk) => chunkText(text, chunk))
        .join('')
        .replaceAll('```js\n', ''),
    ).toBe(text.replaceAll('```js\n', ''));
    expect(grown.length).toBeGreaterThan(atOnce.length - 3);
  });

  it('give the same array while no chunk is added', () => {
    const scanner = new ChunkScanner();
    const text = paragraphs(20);
    const before = scanner.chunksOf(text);
    expect(scanner.chunksOf(`${text} more`)).toBe(before);
  });

  it('start again for another text', () => {
    const scanner = new ChunkScanner();
    scanner.chunksOf(paragraphs(60));
    const other = 'Other words. '.repeat(600);
    expect(
      scanner
        .chunksOf(other)
        .map((chunk) => chunkText(other, chunk))
        .join(''),
    ).toBe(other);
  });
});
