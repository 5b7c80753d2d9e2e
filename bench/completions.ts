import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Measured, median, quantile, RUNS } from './bar.ts';
import { watchLoop } from './event-loop.ts';
import { benchHost, withHost } from './host.ts';
import { withFolder } from './process.ts';
import { newSession, type WireClient } from './wire.ts';

const run = promisify(execFile);

const FILES = 100_000;
const FILES_A_FOLDER = 100;
const WORDS =
  'chat session client model turn index state wire view tool parser cache render test queue store'.split(' ');
/** Queries typed letter by letter: names, paths, initials of several words, and one without matches. */
const TYPED = [
  'sessionqueue-7',
  'src/view-3/cache',
  'csq',
  'packages/wire-7/src',
  'rendertest-45.ts',
  'mdlidx',
  'qzx',
  'parserstore',
];
/** Longest time that one answer may block the event loop. */
const BLOCK_MS = 20;

/**
 * `completions` of a file at each keystroke, in a git repository of 100,000 files, over a WebSocket. Compares the p95 with one `git
 * ls-files`, the cost of an answer without an index. Files are created and deleted meanwhile.
 */
export async function completions(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    const tree = join(folder, 'tree');
    await plant(tree);
    return withHost(benchHost(join(folder, 'data'), { roots: [folder] }), async ({ client }) => {
      const { chat } = await newSession(client, pathToFileURL(tree).href);
      await warm(client, chat);
      const p95s: number[] = [];
      const lists: number[] = [];
      const blocks: number[] = [];
      for (let round = 0; round < RUNS; round += 1) {
        await writeFile(join(tree, `untracked-${round}.ts`), '');
        p95s.push(p95(await type(client, chat, blocks)));
        lists.push(await timed(() => list(tree)));
      }
      const text = (ms: number): string => `${ms.toFixed(1)} ms`;
      const [ours, baseline] = [median(p95s), median(lists)];
      const blocked = p95(blocks);
      return [
        {
          name: `complete a path of ${FILES}, p95, not git ls-files`,
          figure: text(ours),
          baseline: text(baseline),
          ratio: median(p95s.map((ms, round) => ms / (lists[round] ?? Number.NaN))),
          bar: { atMost: 0.1 },
        },
        {
          name: 'completions: longest wait for others, p95',
          figure: text(blocked),
          baseline: text(BLOCK_MS),
          ratio: blocked / BLOCK_MS,
          bar: { atMost: 1 },
        },
      ];
    });
  });
}

/** The git command that lists the same files. */
const list = (tree: string): Promise<unknown> =>
  run('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: tree, maxBuffer: 64 * 1024 * 1024 });

/** Asks until the host has listed the tree. */
async function warm(client: WireClient, chat: string): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) if ((await ask(client, chat, 'queue')) > 0) return;
  throw new Error('The tree was not listed');
}

/** Types every word letter by letter. Resolves with the time of each answer. */
async function type(client: WireClient, chat: string, blocks: number[]): Promise<number[]> {
  const times: number[] = [];
  for (const word of TYPED) {
    for (let length = 0; length <= word.length; length += 1) {
      const blocked = watchLoop();
      times.push(await timed(() => ask(client, chat, word.slice(0, length))));
      blocks.push(blocked());
    }
  }
  return times;
}

async function ask(client: WireClient, chat: string, query: string): Promise<number> {
  const text = `Look at @${query}`;
  const params = { channel: chat, kind: 'userMessage', text, offset: text.length };
  return (await client.request<{ items: unknown[] }>('completions', params)).items.length;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const p95 = (values: readonly number[]): number => quantile(values, 0.95);

/** Makes a repository with files in a thousand folders. */
async function plant(tree: string): Promise<void> {
  const word = (index: number): string => WORDS[index % WORDS.length] ?? '';
  for (let index = 0; index < FILES / FILES_A_FOLDER; index += 1) {
    const part = Math.floor(index / 20);
    const folder = join(tree, 'packages', `${word(part)}-${part}`, 'src', `${word(index)}-${index % 20}`);
    await mkdir(folder, { recursive: true });
    const names = Array.from(
      { length: FILES_A_FOLDER },
      (_, at) => `${word(at + index)}${word(at * 7)}-${at}.ts`,
    );
    await Promise.all(names.map((name) => writeFile(join(folder, name), '')));
  }
  const git = (...args: string[]): Promise<unknown> =>
    run('git', args, { cwd: tree, maxBuffer: 64 * 1024 * 1024 });
  await git('init', '-q');
  await git('add', '-A');
}
