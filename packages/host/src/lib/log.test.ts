import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog, type FileLog, type FileLogOptions } from './file-log.ts';
import { memoryLog } from './log.ts';
import { redact, redactText } from './redact.ts';

let folder: string;
let logs: FileLog[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-log-'));
});

afterEach(() => {
  for (const log of logs) log.close();
  logs = [];
  rmSync(folder, { recursive: true, force: true });
});

function create(options: Partial<FileLogOptions> = {}): FileLog {
  const log = createLog({ file: join(folder, 'host.log'), now: () => 0, ...options });
  logs.push(log);
  return log;
}

function lines(name = 'host.log'): unknown[] {
  const text = readFileSync(join(folder, name), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

describe('a log file', () => {
  test('has one object a line, from its level up, written when the call returns', () => {
    const log = create({ level: 'warn' });
    log.info({}, 'not this');
    log.warn({ port: 4711 }, 'this');
    log.error({ error: new TypeError('no') }, 'and this');
    expect(lines()).toEqual([
      { level: 'warn', time: '1970-01-01T00:00:00.000Z', pid: process.pid, port: 4711, msg: 'this' },
      expect.objectContaining({
        level: 'error',
        msg: 'and this',
        error: { name: 'TypeError', message: 'no', stack: expect.stringContaining('log.test.ts') },
      }),
    ]);
  });

  test('is appended to by the next start, is readable by its owner only, and takes no line after it is closed', () => {
    writeFileSync(join(folder, 'host.log'), '{"old":1}\n');
    chmodSync(join(folder, 'host.log'), 0o644);
    const log = create();
    log.info({}, 'new');
    log.close();
    log.close();
    log.info({}, 'late');
    expect(lines()).toEqual([{ old: 1 }, expect.objectContaining({ msg: 'new' })]);
    expect((statSync(join(folder, 'host.log')).mode & 0o777).toString(8)).toBe('600');
  });

  test('is rotated when full, and a bounded number of files is kept', () => {
    const log = create({ maxBytes: 1_000, maxFiles: 3 });
    for (let count = 0; count < 50; count++) log.info({ count, filler: 'x'.repeat(100) }, 'line');
    const names = readdirSync(folder).toSorted();
    expect(names).toEqual(['host.log', 'host.log.1', 'host.log.2']);
    const kept = ['host.log.2', 'host.log.1', 'host.log'].flatMap((name) => lines(name));
    const counts = kept.map((line) => (line as { count: number }).count);
    expect(counts).toEqual(counts.map((_, index) => 50 - counts.length + index));
    expect(counts.length).toBeGreaterThan(5);
    expect(names.map((name) => statSync(join(folder, name)).size).every((size) => size <= 1_000)).toBe(true);
    expect(names.map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8))).toEqual([
      '600',
      '600',
      '600',
    ]);
  });

  test('with one file only, starts over when full', () => {
    const log = create({ maxBytes: 300, maxFiles: 1 });
    for (let count = 0; count < 10; count++) log.info({ count }, 'x'.repeat(100));
    expect(readdirSync(folder)).toEqual(['host.log']);
    expect(lines()).toContainEqual(expect.objectContaining({ count: 9 }));
    expect(lines().length).toBeLessThan(3);
  });

  test('has the last line of a process that exits or is killed right after writing it', () => {
    const ends = ['process.exit(3)', "process.kill(process.pid, 'SIGKILL')"];
    for (const [index, end] of ends.entries()) {
      const program = `
        import { createLog } from ${JSON.stringify(new URL('file-log.ts', import.meta.url).href)};
        createLog({ file: process.argv[1] }).info({ end: true }, 'last words');
        ${end};`;
      const file = join(folder, `${index}.log`);
      spawnSync(process.execPath, ['--input-type=module', '-e', program, file], { stdio: 'ignore' });
      expect(lines(`${index}.log`)).toEqual([expect.objectContaining({ end: true, msg: 'last words' })]);
    }
  });

  test('continues after a failed rotation: the first hundred lines wait, and a line has the number of further missing ones', () => {
    const log = create({ maxBytes: 20_000, maxFiles: 2 });
    log.info({}, 'x'.repeat(20_000));
    // No file can replace a folder.
    mkdirSync(join(folder, 'host.log.1'));
    for (let count = 0; count < 103; count++) log.info({ count }, 'late');
    rmdirSync(join(folder, 'host.log.1'));
    log.info({}, 'last');
    expect(lines()).toEqual([
      ...Array.from({ length: 100 }, (_, count) => expect.objectContaining({ count })),
      expect.objectContaining({ msg: 'last' }),
      expect.objectContaining({ lines: 3 }),
    ]);
  });

  test('that cannot be opened is an error at its creation', () => {
    expect(() => create({ file: folder })).toThrow('EISDIR');
  });
});

describe('secrets', () => {
  test('are removed by the name of their field at any depth, and from texts', () => {
    const error = Object.assign(new Error('GET http://h/?token=abc failed'), {
      code: 'E1',
      password: 'abc',
      cause: new Error('Authorization: Bearer abc'),
    });
    const fields = {
      Token: 'abc',
      request: {
        headers: { Authorization: 'Bearer abc', cookie: 'abc', host: 'h' },
        url: '/ahp?x=1&token=abc#f',
      },
      list: [{ password: 'abc' }, 'agenthost_token=abc; other=1'],
      map: new Map([['token', 'abc']]),
      error,
      tokenCount: 5,
      bytes: Buffer.from('abc'),
    };
    const log = create();
    log.info(fields, 'connecting to ws://h/ahp?token=abc');
    const kept = memoryLog();
    kept.warn(fields, 'connecting to ws://h/ahp?token=abc');
    for (const written of [readFileSync(join(folder, 'host.log'), 'utf8'), JSON.stringify(kept.lines)]) {
      expect(written).not.toContain('abc');
      expect(written).toContain('"tokenCount":5');
      expect(written).toContain('"host":"h"');
      expect(written).toContain('"code":"E1"');
      expect(written).toContain('other=1');
      expect(written).toContain('connecting to ws://h/ahp?token=[redacted]');
    }
    expect(kept.lines).toEqual([expect.objectContaining({ level: 'warn' })]);
  });

  test.each([
    ['ws://h/?token=abc', 'ws://h/?token=[redacted]'],
    ['a?x=1&TOKEN=abc&y=2', 'a?x=1&TOKEN=[redacted]&y=2'],
    ['"?token=abc"', '"?token=[redacted]"'],
    ['Bearer abc, next', 'Bearer [redacted], next'],
    ['token=5 tokens', 'token=5 tokens'],
  ])('the text %j is written as %j', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  test('circular references are cut, and odd values do not break the line', () => {
    const loop: Record<string, unknown> = { big: 5n, nothing: undefined, when: new Date(0) };
    loop['self'] = loop;
    expect(JSON.stringify(redact(loop))).toContain('[deeper]');
    create().info(loop, 'loop');
    expect(lines()).toEqual([
      expect.objectContaining({ big: '5', when: '1970-01-01T00:00:00.000Z', msg: 'loop' }),
    ]);
  });
});
