import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findProgram, ModelStage, textOf } from './model-chat.ts';

const hasRipgrep = findProgram('rg') !== undefined;

let stage: ModelStage;
beforeEach(() => {
  stage = new ModelStage();
  const put = (name: string, text: string): void => writeFileSync(join(stage.folder, name), text);
  for (const folder of ['src', 'private', 'node_modules']) mkdirSync(join(stage.folder, folder));
  put('src/a.ts', 'const apple = 1;\nconst APPLE = 2;\n');
  put('src/many.txt', 'pear\n'.repeat(300));
  put('private/key.ts', 'apple of the host\n');
  put('a+b.md', 'ap+le\n');
  put('binary.ts', 'apple\0');
  symlinkSync('/etc', join(stage.folder, 'link'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stage.end();
});

/** The model searches so. Resolves with the result of each search. */
async function searched(...inputs: readonly object[]): Promise<string[]> {
  const toolCalls = inputs.map((input) => ({ name: 'search_files', arguments: JSON.stringify(input) }));
  stage.mock.on({ hasToolResult: false }, { toolCalls });
  stage.mock.on({ hasToolResult: true }, { content: 'Done.' });
  const chat = await stage.chat('openai');
  chat.host.isPrivate = async (path: string) => path.includes('/private/');
  await chat.prompt('Search').done;
  return stage.lastMessages.filter(({ role }) => role === 'tool').map(textOf);
}

test.skipIf(!hasRipgrep)(
  'with ripgrep a search takes regular expressions, and leaves out private files',
  async () => {
    const [found, any, globbed, none, many, wrong, outside] = await searched(
      { pattern: 'ap+le' },
      { pattern: 'ap+le', ignoreCase: true, path: 'src' },
      { pattern: 'pear', glob: '*.ts' },
      { pattern: '--version' },
      { pattern: 'pear', path: 'src/many.txt' },
      { pattern: '(' },
      { pattern: 'root', path: 'link' },
    );
    expect(found).toBe('src/a.ts:1:const apple = 1;');
    expect(any).toBe('src/a.ts:1:const apple = 1;\nsrc/a.ts:2:const APPLE = 2;');
    expect([globbed, none]).toEqual(['(nothing found)', '(nothing found)']);
    expect(many?.split('\n')).toHaveLength(201);
    expect(many).toMatch(/\(there are more: narrow the search\)$/);
    expect(wrong).toContain('regex parse error');
    expect(outside).toContain('outside the working directory');
  },
);

test('without ripgrep a search takes plain text, and says so', async () => {
  vi.stubEnv('PATH', '/nonexistent');
  const note = '(ripgrep is not installed here: the pattern was searched as plain text)';
  const [found, any, file, many] = await searched(
    { pattern: 'ap+le' },
    { pattern: 'Apple', ignoreCase: true, glob: '*.ts' },
    { pattern: 'apple', path: 'src/a.ts' },
    { pattern: 'pear' },
  );
  expect(found).toBe(`${note}\na+b.md:1:ap+le`);
  expect(any).toBe(`${note}\nsrc/a.ts:1:const apple = 1;\nsrc/a.ts:2:const APPLE = 2;`);
  expect(file).toBe(`${note}\nsrc/a.ts:1:const apple = 1;`);
  expect(many?.split('\n')).toHaveLength(202);
});
