import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
beforeAll(async () => {
  mkdirSync(join(machine.home, '.config/agenthost'), { recursive: true });
  writeFileSync(
    join(machine.home, '.config/agenthost/agenthost.json'),
    JSON.stringify({ agents: { gone: { command: '/does/not/exist' } } }),
  );
  await machine.serve();
});
afterAll(() => machine.dispose());

const fileText = (name: string): string => readFileSync(join(machine.home, name), 'utf8');

describe('agenthost run', () => {
  test('streams only the answer to stdout', async () => {
    const { code, out, err } = await machine.run(['run', 'say Hello there']);
    expect({ code, out }).toEqual({ code: 0, out: 'Hello there\n' });
    expect(err).toMatch(/^session [0-9a-f]{8}: demo in ~?\n$/);
  });

  test('reads the prompt from a pipe, with - or without an argument', async () => {
    for (const args of [['run'], ['run', '-']]) {
      const cli = machine.start(args);
      cli.type('say from the pipe\n');
      cli.endInput();
      expect(await cli.ended).toMatchObject({ code: 0, out: 'from the pipe\n' });
    }
  });

  test('gives files, lines of files and images to the agent with --attach', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'attach-'));
    try {
      writeFileSync(join(machine.home, 'poem.txt'), 'one\ntwo\nthree\n');
      writeFileSync(join(machine.home, 'dot.png'), Buffer.from([0x89, 0x50]));
      writeFileSync(join(outside, 'far.txt'), 'from far away');
      const files = ['poem.txt', 'poem.txt:2-3', 'dot.png', join(outside, 'far.txt')];
      const { code, out } = await machine.run([
        'run',
        ...files.flatMap((file) => ['--attach', file]),
        'say done',
      ]);
      expect({ code, out }).toEqual({
        code: 0,
        out: [
          'You gave me:',
          '',
          '- poem.txt (text/plain): ',
          '',
          '  ```',
          '  one',
          '  two',
          '  three',
          '  ',
          '  ```',
          '',
          '- ',
          '',
          '  ```',
          `  <selection name="poem.txt" uri="${pathToFileURL(join(machine.home, 'poem.txt')).href}" range="lines 2 to 3">`,
          '  two',
          '  three',
          '  ',
          '  </selection>',
          '  ```',
          '',
          '- dot.png (image/png, 2 bytes)',
          '- far.txt (text/plain): ',
          '',
          '  ```',
          '  from far away',
          '  ```',
          '',
          '',
          'done',
          '',
        ].join('\n'),
      });
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test.each([
    ['none.txt', 'the file does not exist'],
    ['poem.txt:0', 'lines are counted from 1'],
    ['poem.txt:3-2', 'line 3 is after line 2'],
    ['poem.txt:99999', 'the file has only '],
  ])('exits 2 for --attach %s', async (file, why) => {
    writeFileSync(join(machine.home, 'poem.txt'), 'one\n');
    const { code, err } = await machine.run(['run', '--attach', file, 'say done']);
    expect(code).toBe(2);
    expect(err).toContain(`agenthost: --attach ${file}: ${why}`);
  });

  test('reports that --attach needs a file, and leaves no session for attachments that the host refuses', async () => {
    const nothing = await machine.run(['run', '--attach', '', 'say done']);
    expect(nothing).toMatchObject({ code: 2, err: 'agenthost: --attach: expected a file, got nothing\n' });
    const sessions = async (): Promise<unknown> => jsonLines((await machine.run(['sessions', '--json'])).out);
    const before = await sessions();
    // Each file is small enough; both together exceed the limit of a message.
    for (const name of ['one.png', 'two.png'])
      writeFileSync(join(machine.home, name), Buffer.alloc(7_000_000));
    const { code, err } = await machine.run([
      'run',
      '--attach',
      'one.png',
      '--attach',
      'two.png',
      'say done',
    ]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('attachments: at most') });
    expect(await sessions()).toEqual(before);
  });

  test('approves once with --approve all, and the file is written', async () => {
    const { code, err } = await machine.run(['run', '--approve', 'all', 'write all.txt Yes']);
    expect(code).toBe(0);
    expect(fileText('all.txt')).toBe('Yes\n');
    expect(err).toContain('✓ Wrote `all.txt` (+1 -0)');
  });

  test('picks allow-once, never always', async () => {
    const { out } = await machine.run(['run', '--approve', 'all', '--json', 'ask always']);
    const approved = jsonLines(out).find(
      (line) => line.type === 'toolCall' && (line['toolCall'] as { status: string }).status === 'completed',
    );
    expect(approved?.['toolCall']).toMatchObject({ confirmed: 'user-action' });
    expect(JSON.stringify(approved)).not.toContain('allow-always');
  });

  test('exits 3 when a call was denied, and does not run it', async () => {
    const { code } = await machine.run(['run', '--approve', 'none', 'write none.txt No']);
    expect(code).toBe(3);
    expect(existsSync(join(machine.home, 'none.txt'))).toBe(false);
  });

  test('exits 1 when the turn fails, with the reason in one line', async () => {
    const { code, err } = await machine.run(['run', 'fail on purpose']);
    expect(code).toBe(1);
    expect(err).toMatch(/\nagenthost: on purpose \(demoFailed\)\n$/);
  });

  test('exits 1 at its timeout, and cancels the turn', async () => {
    const { code, err } = await machine.run(['run', '--timeout', '3', 'hang']);
    expect(code).toBe(1);
    expect(err).toContain('timed out after 3 s; the turn is cancelled');
  });

  test('exits 1 when another client removes the session, with a message', async () => {
    const cli = machine.start(['run', 'say started\nhang']);
    cli.endInput();
    await cli.until('started');
    const id = /session (\S+):/.exec(cli.err)?.[1] ?? '';
    expect((await machine.run(['sessions', 'rm', id])).code).toBe(0);
    const { code, err } = await cli.ended;
    expect(code).toBe(1);
    expect(err).toMatch(/\nagenthost: another client removed the session\n$/);
  });

  test('exits 1 for an agent that the host does not have, and names the available ones', async () => {
    const { code, err } = await machine.run(['run', '--agent', 'nope', 'x']);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^agenthost: .*nope.*demo; `agenthost agents` shows why other agents are not available\n$/,
    );
  });

  test('exits 1 for an agent whose command is missing, and names the command', async () => {
    const { code, err } = await machine.run(['run', '--agent', 'gone', 'x']);
    expect(code).toBe(1);
    expect(err).toMatch(/\nagenthost: [^\n]*\/does\/not\/exist[^\n]*\n$/);
    const { out } = await machine.run(['sessions']);
    expect(out).toMatch(/^[0-9a-f]{8} {2}(?:failed {3}|error {4})gone /m);
  });

  test('exits 2 for wrong usage', async () => {
    const { code, err, out } = await machine.run(['run', '--cwd', '/does/not/exist', 'x']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe('agenthost: --cwd: /does/not/exist is not a folder\n');
  });

  test('exits 4 without a host, and with a wrong token', async () => {
    const away = await machine.run(['run', '--url', 'http://127.0.0.1:1', 'x']);
    expect(away).toMatchObject({ code: 4, out: '' });
    expect(away.err).toMatch(
      /^agenthost: no host answers at http:\/\/127\.0\.0\.1:1: .*agenthost serve.*\n$/,
    );
    const [{ url } = { url: '' }] = machine.hosts();
    const refused = await machine.run(['run', '--url', url, 'x'], { AGENTHOST_TOKEN: 'wrong' });
    expect(refused.code).toBe(4);
    expect(refused.err).toContain('AGENTHOST_TOKEN holds no valid token of this host');
  });

  test('finds its host by AGENTHOST_URL, http or ws', async () => {
    const [host] = machine.hosts();
    for (const url of [host?.url ?? '', host?.wsUrl ?? '']) {
      const env = { AGENTHOST_URL: url, AGENTHOST_TOKEN: host?.token ?? '' };
      expect(await machine.run(['run', 'say hi'], env)).toMatchObject({ code: 0, out: 'hi\n' });
    }
  });

  test('[CHAT-17] prints the output of a command, and ends with its exit code', async () => {
    const { code, out, err } = await machine.run(['run', '!echo out; exit 7']);
    expect({ code, out }).toEqual({ code: 7, out: 'out\n' });
    expect(err).toContain('exit code 7');
  });

  test('exits 130 at Ctrl-C and cancels the turn', async () => {
    const cli = machine.start(['run', 'say started\nhang']);
    await cli.until('started');
    cli.kill('SIGINT');
    const { code, err } = await cli.ended;
    expect(code).toBe(130);
    expect(err).toContain('interrupted; the turn is cancelled');
    expect(await idleSessions()).toBe(true);
  });

  test('cancels the turn when the reader of its output closes it', async () => {
    const cli = machine.start(['run', '--json', 'stream 400 every 20']);
    await cli.until('"text"');
    cli.closeOutput();
    expect((await cli.ended).code).toBe(130);
    expect(await idleSessions()).toBe(true);
  });

  test('prints with --json one object a line, the last with state and exit code', async () => {
    const { code, out } = await machine.run([
      'run',
      '--json',
      '--approve',
      'all',
      'write j.txt J\nsay the end',
    ]);
    const lines = jsonLines(out);
    expect(code).toBe(0);
    expect(lines[0]).toMatchObject({ type: 'session', provider: 'demo' });
    expect(lines.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['toolCall', 'confirmation', 'text']),
    );
    expect(lines.at(-1)).toMatchObject({ type: 'ended', state: 'complete', exitCode: 0 });
    expect(lines.at(-1)?.['text']).toContain('the end');
  });

  test('prints errors with --json as an object too', async () => {
    const { code, out } = await machine.run(['run', '--json', '--agent', 'nope', 'x']);
    expect(jsonLines(out)).toEqual([
      { type: 'error', exitCode: 1, message: expect.stringContaining('nope') },
    ]);
    expect(code).toBe(1);
  });

  test('keeps control sequences from the terminal', async () => {
    const cli = machine.start(['run']);
    cli.type('say red \u001b[31mtext\u001b]title\u0007, \u009b2Jend');
    cli.endInput();
    const { out, err } = await cli.ended;
    expect(out).toBe('red text, end\n');
    expect(err).not.toContain('\u001b');
  });
});

describe('agenthost run --approve ask without a terminal', () => {
  test('waits for another client with a note on stderr, and continues when watch approves', async () => {
    const cli = machine.start(['run', 'write asked.txt Asked\nsay finished']);
    cli.endInput();
    await cli.until('waiting for another client to answer: agenthost watch ');
    expect(cli.err).toContain('? Write asked.txt?');
    expect(cli.err).toContain('+1 -0');
    const id = /agenthost watch (\S+)/.exec(cli.err)?.[1] ?? '';
    const watcher = machine.start(['watch', id]);
    await watcher.until('1) Allow once');
    watcher.type('a\n');
    expect((await cli.ended).code).toBe(0);
    expect(fileText('asked.txt')).toBe('Asked\n');
    await watcher.until('finished');
    watcher.type('q\n');
    expect((await watcher.ended).code).toBe(0);
  });

  test('exits 3 when watch denies, and 1 when watch cancels', async () => {
    for (const [command, code] of [
      ['d', 3],
      ['c', 1],
    ] as const) {
      const cli = machine.start(['run', 'write other.txt Other']);
      cli.endInput();
      await cli.until('agenthost watch ');
      const watcher = machine.start(['watch', /agenthost watch (\S+)/.exec(cli.err)?.[1] ?? '']);
      await watcher.until('1) Allow once');
      watcher.type(`${command}\n`);
      expect((await cli.ended).code).toBe(code);
      watcher.kill('SIGINT');
      expect((await watcher.ended).code).toBe(130);
    }
    expect(existsSync(join(machine.home, 'other.txt'))).toBe(false);
  });
});

async function idleSessions(): Promise<boolean> {
  const { out } = await machine.run(['sessions', '--json']);
  return jsonLines(out).every((session) => (session as { status?: number }).status !== 8);
}
