import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { keywords } from './keywords.ts';
import { keywordTable, readScript } from './script.ts';

describe('the demo language', () => {
  it.each([
    ['say hello there', { kind: 'say', text: 'hello there' }],
    ['think', { kind: 'reason', text: '' }],
    ['stream 5', { kind: 'stream', chunkCount: 5, everyMs: undefined, chunkBytes: undefined }],
    ['long', { kind: 'stream', chunkCount: 200, everyMs: undefined, chunkBytes: undefined }],
    ['stream every 3', { kind: 'stream', chunkCount: 200, everyMs: 3, chunkBytes: undefined }],
    ['long 12 every 0 of 64', { kind: 'stream', chunkCount: 12, everyMs: 0, chunkBytes: 64 }],
    ['parts 3', { kind: 'parts', partCount: 3 }],
    ['write notes.txt two words', { kind: 'write', path: 'notes.txt', text: 'two words' }],
    ['please write a/b', { kind: 'write', path: 'a/b', text: '' }],
    ['/edit notes.txt', { kind: 'edit', path: 'notes.txt', text: '' }],
    ['READ notes.txt', { kind: 'read', path: 'notes.txt' }],
    ['list', { kind: 'list', path: '.' }],
    ['auto src', { kind: 'list', path: 'src' }],
    ['ask', { kind: 'ask', form: 'plain' }],
    ['ask twice', { kind: 'ask', form: 'twice' }],
    [
      'question multi text required',
      {
        kind: 'question',
        form: { kinds: ['multi-select', 'text'], hasUrl: false, isRequired: true, isFree: false },
      },
    ],
    ['big 2', { kind: 'big', kibibytes: 2 }],
    ['delegate ask; say x', { kind: 'delegate', prompt: 'ask; say x', workerCount: 1 }],
    ['delegate 3 ask', { kind: 'delegate', prompt: 'ask', workerCount: 3 }],
    ['progress 2 every 7', { kind: 'progress', stepCount: 2, everyMs: 7 }],
    ['title A name', { kind: 'title', text: 'A name' }],
    ['notify Look', { kind: 'notify', text: 'Look' }],
    ['usage 10 20', { kind: 'usage', inputTokens: 10, outputTokens: 20 }],
    ['wait 5', { kind: 'wait', delayMs: 5 }],
    ['fail out of luck', { kind: 'fail', reason: 'out of luck' }],
    ['recall', { kind: 'recall' }],
    ['hang', { kind: 'hang' }],
  ])('reads "%s"', (prompt, step) => {
    expect(readScript(prompt)).toEqual({ steps: [step], talk: [] });
  });

  it.each([
    'write a poem',
    'read the news',
    'list all of them',
    'ask me anything',
    'hang on',
    'say',
    'usage 3',
    '',
  ])('reads "%s" as text', (prompt) => {
    expect(readScript(prompt)).toEqual({ steps: [], talk: prompt === '' ? [] : [prompt] });
  });

  it('reads several steps, split by lines and semicolons, and separates other text', () => {
    const { steps, talk } = readScript('say one; how are you\nsay two');
    expect(steps.map((step) => 'text' in step && step.text)).toEqual(['one', 'two']);
    expect(talk).toEqual(['how are you']);
  });

  it('keeps the semicolons of a command, and continues in the next line', () => {
    const { steps } = readScript(
      'say hi; run for i in 1 2; do echo $i; done\nserve npx serve; true\ntype a;b',
    );
    expect(steps).toEqual([
      { kind: 'say', text: 'hi' },
      { kind: 'run', command: 'for i in 1 2; do echo $i; done' },
      { kind: 'serve', command: 'npx serve; true' },
      { kind: 'type', text: 'a;b' },
    ]);
  });

  it('has every word once, and a row for each keyword in the table', () => {
    const words = keywords.flatMap((keyword) => keyword.words);
    expect(new Set(words).size).toBe(words.length);
    expect(keywordTable().split('\n')).toHaveLength(keywords.length + 2);
    expect(keywordTable()).toContain('| `ask [options\\|always\\|edit\\|twice\\|result]` |');
  });

  it('has the same table in the README', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    expect(readme).toContain(keywordTable());
  });

  it.each([
    ['stream 1000001', '`stream`: expected at most 1000000 chunks, got 1000001'],
    ['stream 2 of 2000000', '`stream … of`: expected at most 1048576 bytes, got 2000000'],
    ['parts 5001', '`parts`: expected at most 5000 parts, got 5001'],
    ['big 400000', '`big`: expected at most 4096 KiB, got 400000'],
    ['progress 200000 every 0', '`progress`: expected at most 1000 steps, got 200000'],
  ])('refuses %j', (prompt, reason) => {
    expect(readScript(prompt)).toEqual({ steps: [{ kind: 'fail', reason }], talk: [] });
  });

  it('refuses prompts with too many steps or lines, without reading the rest', () => {
    const reasonOf = (prompt: string): unknown => readScript(prompt).steps[0];
    expect(reasonOf('usage 1 1;'.repeat(1_000))).toMatchObject({ kind: 'usage' });
    expect(readScript('peek;'.repeat(100_000))).toEqual({
      steps: [{ kind: 'fail', reason: 'The demo agent takes prompts of at most 1000 steps' }],
      talk: [],
    });
    expect(reasonOf('what\n'.repeat(100_000))).toMatchObject({
      reason: 'The demo agent takes prompts of at most 10000 lines',
    });
  });
});
