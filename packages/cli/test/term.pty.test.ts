import { type AhpClient, connect, type TerminalCatalogue } from '@agenthost/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine, type ServeLine } from './cli-process.ts';
import { Window } from './window.ts';

const machine = new Machine({ SHELL: '/bin/sh' });
const windows: Window[] = [];
let line: ServeLine;
let owner: AhpClient;
let terminals: TerminalCatalogue;
beforeAll(async () => {
  ({ line } = await machine.serve('--no-keeper'));
  owner = await connect(line.wsUrl, { token: line.token });
  terminals = await owner.terminals();
});
afterEach(async () => {
  for (const window of windows.splice(0)) await window.dispose();
  // By a client of the test: a program for each of these steps would take half of the time.
  for (const { resource } of [...terminals.items]) await (await owner.terminal(resource)).dispose();
});
afterAll(async () => {
  owner.close();
  await machine.dispose();
});

const list = async (...args: string[]) => {
  const { out } = await machine.run(['term', 'list', '--json', ...args]);
  return out === '' ? [] : jsonLines(out);
};

function windowOf(...args: string[]): Window {
  const window = new Window(args, { cwd: machine.home, env: machine.environment });
  windows.push(window);
  return window;
}

/** A terminal that no client holds. Resolves with its id. */
async function made(...args: string[]): Promise<string> {
  const { code, out, err } = await machine.run(['term', 'new', '--detach', ...args]);
  expect([code, err]).toEqual([0, '']);
  return out.trim();
}

test('[TERM-5] a terminal that a client of one token left can be claimed by another token, like that of a disconnected client', async () => {
  const id = await made('--', 'cat');
  const { out } = await machine.run(['token', 'create', '--scope', 'interact', '--json']);
  const { secret } = JSON.parse(out) as { secret: string };
  const env = { AGENTHOST_TOKEN: secret, AGENTHOST_URL: line.url };
  const { code, err } = await machine.run(['term', 'send', id, 'hello'], env);
  // After the start of a host the holder might return within the grace period.
  if (code !== 0) expect(err).toContain('Another client holds this terminal');
  expect(err).not.toContain('token');
});

describe('agenthost term run', () => {
  test('prints output for files and ends with the exit code of the command, leaving no terminal', async () => {
    const script = 'printf "\\033[1mbold\\033[m\\n"; echo "$WHO $(pwd)"; exit 3';
    const ran = await machine.run(['term', 'run', '--env', 'WHO=me', '--', 'sh', '-c', script]);
    expect(ran).toEqual({ code: 3, out: `bold\nme ${machine.home}\n`, err: '' });
    expect(await list()).toEqual([]);
  });

  test('--raw keeps sequences, --shell takes one line, options after the command belong to the command', async () => {
    const raw = await machine.run(['term', 'run', '--raw', 'printf', '\\033[1mx\\n']);
    expect(raw.out).toBe('\u001b[1mx\n');
    const piped = await machine.run(['term', 'run', '--shell', 'echo a b | tr a-z A-Z']);
    expect(piped.out).toBe('A B\n');
    const own = await machine.run(['term', 'run', 'echo', '--raw', '--json']);
    expect(own.out).toBe('--raw --json\n');
  });

  test('a long output arrives completely', async () => {
    const { out } = await machine.run(['term', 'run', 'seq', '1', '200000']);
    expect(out.length).toBe(1_288_895);
    expect(out.endsWith('199999\n200000\n')).toBe(true);
  });

  test('Ctrl-C goes to the command, and --keep leaves the terminal', async () => {
    const script = 'trap "echo caught; exit 7" INT; echo ready; while :; do sleep 0.05; done';
    const running = machine.start(['term', 'run', '--keep', '--', 'sh', '-c', script]);
    await running.until('ready');
    running.kill('SIGINT');
    const { code, out } = await running.ended;
    expect([code, out]).toEqual([7, expect.stringContaining('caught\n')]);
    expect(await list()).toMatchObject([{ lifecycle: { status: 'exited', exitCode: 7 } }]);
  });

  test('--timeout ends it with 124, a closed output ends it too', async () => {
    const timed = await machine.run(['term', 'run', '--timeout', '0.2', 'sleep', '60']);
    expect(timed).toMatchObject({ code: 124, err: 'agenthost: timed out after 0.2 s\n' });
    const running = machine.start(['term', 'run', 'yes']);
    await running.until('y\n');
    running.closeOutput();
    expect((await running.ended).code).toBe(130);
    expect(await list()).toEqual([]);
  });

  test('a program that cannot be started is reported in one line', async () => {
    const { code, err } = await machine.run(['term', 'run', '/no/such/program']);
    expect(code).not.toBe(0);
    expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(1);
    expect((await machine.run(['term', 'run', '--cwd', '/no/such', 'ls'])).code).toBe(2);
    expect((await machine.run(['term', 'run', ''])).code).toBe(2);
    expect((await machine.run(['term', 'new', '--detach', '--', ''])).code).toBe(2);
    expect((await machine.run(['term', 'new', '--detach', '--name', ' '])).code).toBe(2);
  });
});

describe('agenthost term list, send, wait and kill', () => {
  test('text, keys and piped input are typed; wait waits for text or silence', async () => {
    const id = await made('--name', 'kit\u001b[2J', '--size', '100x30');
    expect(await list('--long')).toMatchObject([
      { resource: `ahp-terminal:/${id}`, cols: 100, rows: 30, title: expect.stringContaining('kit') },
    ]);
    const shown = await machine.run(['term', 'list', '--long']);
    expect(shown.out).toContain(` 1  ${id.slice(0, 8)}  running     nobody`);
    expect(shown.out).not.toContain('\u001b');
    expect(shown.out).toContain('100x30');
    expect((await machine.run(['term', 'send', id.slice(0, 6), 'echo', 'a$((1+1))b', '--enter'])).code).toBe(
      0,
    );
    expect((await machine.run(['term', 'wait', '1', '--text', '^a2b', '--timeout', '10'])).code).toBe(0);
    expect((await machine.run(['term', 'send', id, 'cat', '--enter'])).code).toBe(0);
    const piping = machine.start(['term', 'send', id, '--stdin']);
    piping.type('piped 😀\n');
    piping.endInput();
    expect((await piping.ended).code).toBe(0);
    expect((await machine.run(['term', 'wait', id, '--text', 'piped 😀', '--timeout', '10'])).code).toBe(0);
    // Not together with the text: a Ctrl-C discards unread input.
    expect((await machine.run(['term', 'send', id, '--key', 'ctrl-c'])).code).toBe(0);
    expect((await machine.run(['term', 'wait', id, '--idle', '100'])).code).toBe(0);
    const late = await machine.run(['term', 'wait', id, '--text', 'never', '--timeout', '0.1']);
    expect(late).toMatchObject({ code: 124, err: 'agenthost: timed out after 0.1 s\n' });
    const waiting = machine.run(['term', 'wait', id]);
    await machine.run(['term', 'send', id, 'exit 9', '--enter']);
    expect((await waiting).code).toBe(9);
    expect(jsonLines((await machine.run(['term', 'wait', id, '--json'])).out)).toEqual([
      { type: 'exited', exitCode: 9, terminal: `ahp-terminal:/${id}` },
    ]);
    expect((await machine.run(['term', 'wait', id, '--text', 'never'])).code).toBe(1);
    const killed = await machine.run(['term', 'kill', id]);
    expect(killed).toMatchObject({ code: 0, out: expect.stringContaining(`ended ${id.slice(0, 8)}`) });
    expect((await machine.run(['term', 'send', id, 'x'])).err).toContain('no terminal is called');
  });

  test('a signal reaches the program, and the terminal stays', async () => {
    const id = await made(
      '--',
      'sh',
      '-c',
      'trap "echo got; exit 4" TERM; echo up; while :; do sleep 0.05; done',
    );
    await machine.run(['term', 'wait', id, '--text', 'up', '--timeout', '10']);
    expect((await machine.run(['term', 'kill', id, '--signal', 'sigterm'])).code).toBe(0);
    expect((await machine.run(['term', 'wait', id, '--timeout', '10'])).code).toBe(4);
    expect((await machine.run(['term', 'kill', id, '--signal', 'NOPE'])).code).toBe(2);
  });

  test('without a window attach fails with a message', async () => {
    const id = await made();
    for (const args of [['new'], ['attach', id]]) {
      const { code, err } = await machine.run(['term', ...args]);
      expect([code, err]).toEqual([2, expect.stringContaining('must be a terminal')]);
    }
  });
});

describe('agenthost term attach', () => {
  test('[TERM-3] shows earlier and later output, types, follows the window size, answers no query twice', async () => {
    const id = await made();
    await machine.run(['term', 'send', id, 'echo early', '--enter']);
    await machine.run(['term', 'wait', id, '--text', '^early', '--timeout', '10']);
    const window = windowOf('term', 'attach', id);
    await window.until(/^early$/m);
    window.type('stty size\r');
    await window.until(/^20 90$/m);
    // Half a second without an answer ends the read.
    const ask = `stty -echo -icanon min 0 time 5; printf "\\033[6n"; got=$(cat | tr -d "\\033")`;
    window.type(`clear; ${ask}; stty sane; echo "<$got>"\r`);
    await window.until(/^<\[\d+;1R>$/m);
    const client = await connect(line.wsUrl, { token: line.token });
    const terminal = await client.terminal(`ahp-terminal:/${id}`);
    window.resize(70, 15);
    for await (const { cols } of terminal.mirror) if (cols === 70) break;
    client.close();
    window.type('stty size\r');
    await window.until(/^15 70$/m);
    // The host answered the query; the emulator of the window never got it.
    expect(window.raw).not.toContain('\u001b[6n');
    window.type('\u001dd');
    await window.until('[detached]');
    expect(await window.ended).toBe(0);
    expect(await list('--long')).toMatchObject([{ cols: 70, rows: 15 }]);
    expect((await machine.run(['term', 'send', id, 'x'])).code).toBe(0);
  });

  test('a terminal cannot be attached inside itself', async () => {
    const id = await made();
    const window = new Window(['term', 'attach', id], {
      cwd: machine.home,
      env: { ...machine.environment, AGENTHOST_TERMINAL: `ahp-terminal:/${id}` },
    });
    windows.push(window);
    expect(await window.ended).toBe(2);
    expect(window.text).toContain('this command runs in that terminal');
    await machine.run(['term', 'send', id, 'echo "<$AGENTHOST_TERMINAL>"', '--enter']);
    expect((await machine.run(['term', 'wait', id, '--text', `^<ahp-terminal:/${id}>`])).code).toBe(0);
  });

  test('restores the window, also when it is killed', async () => {
    const script = 'printf "\\033[?1049h\\033[?25l\\033[?1002h\\033[?2004h\\033[?1hfull screen"; exec cat';
    const id = await made('--', 'sh', '-c', script);
    for (const leave of ['detach', 'SIGTERM', 'SIGHUP']) {
      const window = windowOf('term', 'attach', id);
      await window.until('full screen');
      expect([window.isAlternate, window.modes.mouseTrackingMode]).toEqual([true, 'drag']);
      if (leave === 'detach') window.type('\u001dd');
      else process.kill(window.pid, leave);
      expect(await window.ended).toBe(leave === 'detach' ? 0 : 130);
      expect(window.isAlternate).toBe(false);
      expect(window.modes).toMatchObject({
        mouseTrackingMode: 'none',
        bracketedPasteMode: false,
        applicationCursorKeysMode: false,
      });
      expect(window.raw).toContain('\u001b[?25h');
      // The claim was given back: the next holder has it again.
      expect(await list()).toMatchObject([{ claim: { clientId: `agenthost-nobody-${id}` } }]);
    }
  });

  test('[TERM-6] new ends with the exit code of its program, and removes the terminal', async () => {
    const window = windowOf('term', 'new', '--', 'sh', '-c', 'read line; echo "got $line"; exit 5');
    window.type('typed\r');
    await window.until('got typed');
    await window.until('[exited with code 5]');
    expect(await window.ended).toBe(5);
    expect(await list()).toEqual([]);
  });

  test('[TERM-5] a terminal of another client is read-only until that client gives it back', async () => {
    const first = windowOf('term', 'new', '--name', 'shared', '--', 'cat');
    first.type('one\r');
    await first.until(/one\n+one/);
    const second = windowOf('term', 'attach', '1');
    await second.until(/read-only: client \S+ holds it/);
    second.type('refused\r\u001dc');
    await second.until('not claimed');
    first.type('\u001dg');
    await first.until('read-only: nobody holds it');
    // The second window may learn of the release later than the first.
    await second.until('read-only: nobody holds it');
    second.type('\u001dc');
    await second.until('you hold this terminal now');
    second.type('two\r');
    await first.until(/two[^\n]*\n+two/);
    expect(first.text).not.toContain('refused');
  });

  test("[TERM-5] a terminal of an agent's session is read-only until claimed, and returns to the session", async () => {
    const client = await connect(line.wsUrl, { token: line.token });
    const session = await client.sessions.create({});
    const terminal = await client.createTerminal({
      claim: { session: session.uri, chat: session.chat.mirror.uri },
      command: ['cat'],
    });
    const window = windowOf('term', 'attach', '1');
    await window.until(/read-only: session \S+ \(background\) holds it/);
    await window.until('Ctrl-] c claims it');
    window.type('lost\r');
    window.type('\u001dc');
    await window.until('you hold this terminal now');
    window.type('kept\r');
    await window.until(/kept[^\n]*\n+kept/);
    expect(window.text).not.toContain('lost');
    window.type('\u001dd');
    expect(await window.ended).toBe(0);
    expect(terminal.holder).toEqual({ kind: 'session', session: session.uri, chat: session.chat.mirror.uri });
    await client.sessions.dispose(session.uri);
    client.close();
  });
});

describe('a host that is killed and started again', () => {
  const own = new Machine({ SHELL: '/bin/sh' });
  afterAll(() => own.dispose());

  test('[CONN-6] the window continues at its position, and the host prints what outlives it', async () => {
    const { host, line: first } = await own.serve();
    const window = new Window(['term', 'new', '--', 'cat'], { cwd: own.home, env: own.environment });
    windows.push(window);
    window.type('before\r');
    await window.until(/before\n+before/);
    host.kill('SIGKILL');
    await host.ended;
    await window.until('lost the connection to the host; reconnecting');
    window.type('meanwhile\r');
    const { port } = new URL(first.url);
    const again = own.start(['serve', '--port', port]);
    await again.until('Ctrl-C');
    await window.until('reconnected to the host');
    // cat answers a line when it is scheduled: after faster typing the echo of the next line comes first.
    await window.until(/meanwhile[^\n]*\n+meanwhile/);
    window.type('after\r');
    await window.until(/after[^\n]*\n+after/);
    expect(window.raw.split('meanwhile').length - 1).toBe(2);
    window.type('\u001dd');
    expect(await window.ended).toBe(0);
    again.kill('SIGINT');
    expect((await again.ended).err).toContain(
      '1 terminal continues; the next host with this data folder takes it over',
    );
    await own.serve('--port', port);
    // A position may mean another terminal the second time.
    const refused = await own.run(['term', 'kill', '1']);
    const [, id = ''] = /use its id, (\S+)/.exec(refused.err) ?? [];
    expect(refused.code).toBe(2);
    expect(await own.run(['term', 'kill', id])).toMatchObject({ code: 0 });
  });
});
