import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemTimers } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { PrivatePaths } from '../private-paths.ts';
import { FileFinder, type InShare } from './file-finder.ts';

let base = '';
let folder = '';
let nowMs = 0;
let finder: FileFinder;
const never = new AbortController().signal;
const alone: InShare = (work) => work(() => new Promise((resolve) => setImmediate(resolve)));

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-finder-')));
  folder = join(base, 'work');
  mkdirSync(folder);
  nowMs = 1_000_000;
  finder = new FileFinder({
    clock: { now: () => nowMs },
    timers: systemTimers,
    log: silentLog,
    privatePaths: new PrivatePaths([]),
  });
});

afterEach(() => {
  finder.end();
  rmSync(base, { recursive: true });
});

function plant(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '');
  }
}

const git = (cwd: string, ...args: string[]): unknown =>
  execFileSync(
    'git',
    ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'protocol.file.allow=always', ...args],
    {
      cwd,
      stdio: 'pipe',
    },
  );

async function find(query: string, where = folder): Promise<string[]> {
  return (await finder.find({ folder: where, query, limit: 20 }, never, alone)).map(({ path }) => path);
}

/** Waits until the paths have been listed again after an answer. */
async function refreshed(query: string, expected: string[]): Promise<void> {
  nowMs += 60_000;
  await vi.waitFor(async () => expect(await find(query)).toEqual(expected), { timeout: 30_000 });
}

describe('[CHAT-16] files are found', () => {
  test('by characters in order: last segment, beginnings of words and neighbours first, then the shorter', async () => {
    plant(
      'src/chat/rules.ts',
      'src/cathode.ts',
      'docs/chart.md',
      'chat.ts',
      'lib/other/chat.test.ts',
      'lib/cXhXaXt.ts',
    );
    expect(await find('chat')).toEqual([
      'chat.ts',
      'src/chat/',
      'lib/other/chat.test.ts',
      'docs/chart.md',
      'src/chat/rules.ts',
      'lib/cXhXaXt.ts',
    ]);
    expect((await find('ct')).at(0)).toBe('src/cathode.ts');
    expect((await find('src/r')).at(0)).toBe('src/chat/rules.ts');
    expect((await find('CHAT.T')).slice(0, 2)).toEqual(['chat.ts', 'lib/other/chat.test.ts']);
    expect(await find('zzz')).toEqual([]);
  });

  test('by prefixes of the words of a name', async () => {
    plant('client-tool.ts', 'xcxlxtxo.ts', 'ClientTool.java', 'a/client_tool_runner.ts');
    const found = await find('clto');
    expect(found.slice(0, 3).toSorted()).toEqual([
      'ClientTool.java',
      'a/client_tool_runner.ts',
      'client-tool.ts',
    ]);
    expect(found.at(-1)).toBe('xcxlxtxo.ts');
  });

  test('without a query, the nearest first', async () => {
    plant('deep/er/x.ts', 'b.ts', 'aa.ts');
    expect((await find('')).slice(0, 3)).toEqual(['b.ts', 'aa.ts', 'deep/']);
    expect(await find('./aa')).toEqual(['aa.ts']);
  });

  test('in a long list, by single letters as by the whole word at once', async () => {
    plant(...Array.from({ length: 1_000 }, (_, index) => `part-${index % 40}/item${index}.ts`));
    for (const typed of ['p', 'pa', 'part-7/item', 'part-7/item2', 'i2', 'i29', 'i299']) await find(typed);
    const typedAtOnce = new FileFinder({
      clock: { now: () => nowMs },
      timers: systemTimers,
      log: silentLog,
      privatePaths: new PrivatePaths([]),
    });
    for (const typed of ['part-7/item20', 'i997'])
      expect(await find(typed)).toEqual(
        (await typedAtOnce.find({ folder, query: typed, limit: 20 }, never, alone)).map(({ path }) => path),
      );
    expect(await find('i997')).toEqual(['part-37/item997.ts']);
    typedAtOnce.end();
  });

  test('without running commands from the settings of a repository or its submodules', async () => {
    plant('tracked.ts');
    const ran = join(base, 'ran');
    for (const where of [folder, join(folder, 'inner')]) {
      mkdirSync(where, { recursive: true });
      git(where, 'init', '-q');
      const hook = join(where, 'watch.sh');
      writeFileSync(hook, `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
      git(where, 'config', 'core.fsmonitor', hook);
    }
    expect(await find('tracked')).toEqual(['tracked.ts']);
    expect(existsSync(ran)).toBe(false);
    // This command would have run the program.
    git(folder, 'ls-files', '-o');
    expect(existsSync(ran)).toBe(true);
  });

  test('as git sees them in a repository, in a folder of it too', async () => {
    git(folder, 'init', '-q');
    plant('tracked.ts', 'sub/untracked.ts', 'sub/ignored.log', 'gone.ts');
    writeFileSync(join(folder, '.gitignore'), '*.log\n');
    git(folder, 'add', 'tracked.ts', 'gone.ts');
    rmSync(join(folder, 'gone.ts'));
    expect((await find('')).toSorted()).toEqual(['.gitignore', 'sub/', 'sub/untracked.ts', 'tracked.ts']);
    expect(await find('', join(folder, 'sub'))).toEqual(['untracked.ts']);
  });

  test('in submodules of a repository', async () => {
    const other = join(base, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'inner.ts'), '');
    git(other, 'init', '-q');
    git(other, 'add', '-A');
    git(other, 'commit', '-qm', 'x');
    git(folder, 'init', '-q');
    git(folder, 'submodule', '--quiet', 'add', other, 'libs/inner');
    expect(await find('inner')).toEqual(['libs/inner/', 'libs/inner/inner.ts']);
  });

  test('in a folder that its repository ignores', async () => {
    git(folder, 'init', '-q');
    writeFileSync(join(folder, '.gitignore'), 'out/\n');
    plant('out/made.ts');
    expect(await find('', join(folder, 'out'))).toEqual(['made.ts']);
  });

  test('outside of repositories, without node_modules', async () => {
    plant('a.ts', 'node_modules/x/index.js', 'b/node_modules/y.js', '.git/config', 'b/c.ts');
    expect((await find('')).toSorted()).toEqual(['a.ts', 'b/', 'b/c.ts']);
  });

  test('only within the folder, wherever links lead', async () => {
    writeFileSync(join(base, 'secret.ts'), '');
    plant('inside.ts');
    symlinkSync(join(base, 'secret.ts'), join(folder, 'link-out.ts'));
    symlinkSync(base, join(folder, 'way-out'));
    symlinkSync(join(folder, 'inside.ts'), join(folder, 'link-in.ts'));
    expect((await find('')).toSorted()).toEqual(['inside.ts', 'link-in.ts']);
    expect(await find('../secret')).toEqual([]);
    expect(await find(`${base}/secret`)).toEqual([]);
  });

  test('under names of all kinds, except names that no URI can contain', async () => {
    const names = ['a b.ts', 'q"uote.ts', 'new\nline.ts', 'emoji 👩‍💻.ts', 'cafe\u0301.ts', 'd%41.ts'];
    for (const isRepository of [false, true]) {
      if (isRepository) git(folder, 'init', '-q');
      plant(...names, 'nfd-e\u0301/x.ts');
      writeFileSync(
        Buffer.concat([Buffer.from(`${folder}/bad-`), Buffer.from([0xff, 0x2e, 0x74, 0x73])]),
        '',
      );
      const fresh = new FileFinder({
        clock: { now: () => nowMs },
        timers: systemTimers,
        log: silentLog,
        privatePaths: new PrivatePaths([]),
      });
      const found = (await fresh.find({ folder, query: '', limit: 20 }, never, alone)).map(
        ({ path }) => path,
      );
      expect(found.toSorted()).toEqual([...names, 'nfd-e\u0301/', 'nfd-e\u0301/x.ts'].toSorted());
      // Composed or decomposed, in the query and in the name.
      for (const query of ['caf\u00e9', 'cafe\u0301', 'CAF\u00c9'])
        expect(
          (await fresh.find({ folder, query, limit: 20 }, never, alone)).map(({ path }) => path),
        ).toEqual(['cafe\u0301.ts']);
      fresh.end();
    }
  });
});

describe('[CHAT-16] the list of a folder', () => {
  test('is refreshed after an answer, so that new files are found soon', async () => {
    plant('a.ts');
    expect(await find('ts')).toEqual(['a.ts']);
    plant('b.ts');
    nowMs += 100;
    expect(await find('ts')).toEqual(['a.ts']);
    await refreshed('ts', ['a.ts', 'b.ts']);
    rmSync(join(folder, 'a.ts'));
    expect(await find('ts')).toEqual(['b.ts']);
  });

  test('is dropped when it is unused for long, or when other lists need the room', async () => {
    plant('one/a.ts', 'two/b.ts');
    const small = new FileFinder(
      {
        clock: { now: () => nowMs },
        timers: systemTimers,
        log: silentLog,
        privatePaths: new PrivatePaths([]),
      },
      1,
    );
    for (const name of ['one', 'two'])
      await small.find({ folder: join(folder, name), query: 'ts', limit: 5 }, never, alone);
    expect(small.folderCount).toBe(1);
    small.dropIdle(nowMs);
    expect(small.folderCount).toBe(1);
    small.dropIdle(nowMs + 1);
    expect(small.folderCount).toBe(0);
  });

  test('is not awaited by a cancelled question', async () => {
    plant('a.ts');
    const asked = new AbortController();
    const answer = finder.find({ folder, query: 'a', limit: 5 }, asked.signal, alone);
    asked.abort(new Error('taken back'));
    await expect(answer).rejects.toThrow('taken back');
    expect(await find('a')).toEqual(['a.ts']);
  });

  test('of a missing folder is empty', async () => {
    expect(await find('', join(base, 'none'))).toEqual([]);
  });
});
