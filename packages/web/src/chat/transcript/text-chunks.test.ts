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

  it('open code in an entry of a list again, with the indent that code may have', () => {
    const list = `1. Run\n\n    \`\`\`sh\n${'    make bread # a line of code\n'.repeat(400)}    \`\`\`\n2. Eat\n`;
    const texts = textsOf(list);
    expect(texts.length).toBeGreaterThan(1);
    for (const each of texts.slice(1)) expect(each.startsWith('   ```sh\n')).toBe(true);
  });

  it('repeat the head of a table in each chunk, and not below the table', () => {
    const head = '| Bread | Flour |\n|:---|---:|\n';
    const rows = Array.from({ length: 400 }, (_, index) => `| loaf ${index} | 500 g of rye \\| wheat |\n`);
    const table = `${head}${rows.join('')}`;
    const texts = textsOf(`${table}\n${paragraphs(40)}`);
    const tables = texts.filter((each) => each.includes('loaf'));
    expect(tables.length).toBeGreaterThan(2);
    for (const each of tables) expect(each.startsWith(head)).toBe(true);
    expect(texts.map((each) => each.replace(head, '')).join('')).toBe(
      `${table}\n${paragraphs(40)}`.replace(head, ''),
    );
    expect(texts.at(-1)).toMatch(/^Paragraph/);
  });

  it('do not part the two lines of the head of a table', () => {
    const before = 'a line of a long paragraph\n'.repeat(1).padEnd(5_950, 'x');
    const head = `| ${'Bread '.repeat(6)} | Flour |\n|---|---|\n`;
    const texts = textsOf(`${before}\n${head}${'| loaf | rye |\n'.repeat(50)}`);
    expect(texts).toHaveLength(2);
    expect(texts[1]?.startsWith(head)).toBe(true);
    expect(texts[1]?.split('Flour')).toHaveLength(2);
  });

  it('cut a long list before an entry', () => {
    const entry = (index: number): string =>
      `${index}. Entry\n${'   - a nested entry with words\n'.repeat(20)}`;
    const list = Array.from({ length: 60 }, (_, index) => entry(index + 1)).join('');
    const texts = textsOf(list);
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.join('')).toBe(list);
    for (const each of texts) expect(each).toMatch(/^\d+\. Entry/);
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
