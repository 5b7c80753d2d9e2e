import type { ActionEnvelope } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import type { Channel } from '../src/sync/channel.ts';
import { type HostFixture, ROOT, SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';
import {
  openTerminal,
  outputOf,
  rejection,
  TERMINAL,
  terminalList,
  terminalState,
} from './terminal-fixture.ts';

const WITH_BASH = { terminals: { shell: '/bin/bash', shellIntegration: true } };

const inMemory = (host: HostFixture): Channel<'terminal'> => {
  const channel = host.host.core.sync.registry.getOf('terminal', TERMINAL);
  if (channel === undefined) throw new Error('the terminal is not in memory');
  return channel;
};

/** The nonce of the terminal's shell integration. */
const nonceOf = (host: HostFixture): string => inMemory(host).hostData.nonce ?? 'none';

const actions = (client: RawClient): ActionEnvelope['action'][] =>
  client.envelopes(TERMINAL).map(({ action }) => action);

describe('input', () => {
  it('[TERM-2] [ACT-7] reaches the pty, is echoed to its sender alone and is not journaled', async () => {
    const host = await startHost();
    const [desk, phone] = [await host.client('desk'), await host.client('phone')];
    await openTerminal(host, desk);
    await phone.subscribe(TERMINAL);
    const echo = await desk.act(TERMINAL, { type: 'terminal/input', data: 'hunter2\r' });
    expect(echo).toMatchObject({ action: { type: 'terminal/input', data: 'hunter2\r' } });
    expect(echo?.rejectionReason).toBeUndefined();
    expect(host.ptys.last.keys).toBe('hunter2\r');
    expect(phone.types(TERMINAL)).toEqual([]);
    await host.host.core.sync.path.drain();
    expect(everything(host.journal.disk)).not.toContain('hunter2');
    expect(everything(host.logged)).not.toContain('hunter2');
  });

  it('[ACT-5] is never typed twice when it is resent after a lost echo', async () => {
    const host = await startHost({ outlivesHost: true });
    const desk = await host.client('desk', { 'x-epoch': 'e' });
    await openTerminal(host, desk);
    await desk.act(TERMINAL, { type: 'terminal/input', data: 'secret\r' });
    await host.restart();
    const again = host.connect('desk');
    await again.reconnect(0, [TERMINAL], { 'x-epoch': 'e' });
    again.dispatch(TERMINAL, { type: 'terminal/input', data: 'secret\r' }, 1);
    again.dispatch(TERMINAL, { type: 'terminal/input', data: 'next\r' }, 2);
    await again.ping();
    expect(host.ptys.last.keys).toBe('secret\rnext\r');
    expect(again.echoOf(1)?.rejectionReason).toMatch(/^outcomeExpired/);
  });

  it('[WIRE-6] keeps its order among the other actions of its sender, and is written whole', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    const long = 'x'.repeat(300_000);
    desk.dispatch(TERMINAL, { type: 'terminal/input', data: 'a' });
    desk.dispatch(TERMINAL, { type: 'terminal/resized', cols: 90, rows: 30 });
    desk.dispatch(TERMINAL, { type: 'terminal/input', data: long });
    desk.dispatch(TERMINAL, { type: 'terminal/titleChanged', title: 't' });
    desk.dispatch(TERMINAL, { type: 'terminal/input', data: 'z' });
    await desk.ping();
    expect(host.ptys.last.keys).toBe(`a${long}z`);
    expect(desk.types(TERMINAL)).toEqual([
      'terminal/input',
      'terminal/resized',
      'terminal/input',
      'terminal/titleChanged',
      'terminal/input',
    ]);
    expect(host.ptys.last.sizes).toEqual([[90, 30]]);
  });

  it('[TERM-2] is refused and not typed while its number cannot be stored', async () => {
    const host = await startHost();
    const desk = await host.client('desk', { 'x-epoch': 'e' });
    await openTerminal(host, desk);
    host.journal.failNextCommits(1);
    expect(await rejection(desk, { type: 'terminal/input', data: 'a' })).toBe('unavailable');
    expect(host.ptys.last.keys).toBe('');
    await host.advance(1_000);
    expect(await rejection(desk, { type: 'terminal/input', data: 'b' })).toBeUndefined();
    expect(host.ptys.last.keys).toBe('b');
  });
});

describe('output', () => {
  it('[TERM-2] is sent at once after a silence, then in one action for each 8 ms', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    const { last } = host.ptys;
    last.output('a');
    await host.run();
    expect(actions(desk)).toEqual([{ type: 'terminal/data', data: 'a' }]);
    const [b, c] = ['b'.repeat(2_000), 'c'.repeat(2_000)];
    last.output(b);
    last.output(c);
    await host.run();
    expect(actions(desk)).toHaveLength(1);
    await host.advance(8);
    expect(actions(desk).slice(1)).toEqual([{ type: 'terminal/data', data: b + c }]);
    await host.advance(8);
    last.output('d');
    await host.run();
    expect(actions(desk).slice(2)).toEqual([{ type: 'terminal/data', data: 'd' }]);
  });

  it('[TERM-2] of a flood is sent in pieces of at most 128 KiB', async () => {
    const host = await startHost({ terminals: { scrollbackLength: 1024 * 1024 } });
    const desk = await host.client();
    await openTerminal(host, desk);
    const { last } = host.ptys;
    const flood = 'y\n'.repeat(450_000);
    // Pty owners deliver at most 64 KiB at a time.
    for (let at = 0; at < flood.length; at += 65_536) last.output(flood.slice(at, at + 65_536));
    await host.advance(100);
    expect(outputOf(await terminalState(desk)) === flood).toBe(true);
    const lengths = actions(desk).map((action) => (action.type === 'terminal/data' ? action.data.length : 0));
    expect(Math.max(...lengths)).toBeLessThanOrEqual(128 * 1024);
    expect(last.acknowledged).toBe(900_000);
  });

  it('[TERM-3] keeps characters whole over reads, and removes marks of shell integration', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    const { last } = host.ptys;
    const bytes = Buffer.from('ä\x1b]133;A\x07\x1b[1mß');
    for (const byte of bytes) last.output(Uint8Array.of(byte));
    await host.advance(10);
    expect(outputOf(await terminalState(desk))).toBe('ä\x1b[1mß');
    expect(last.acknowledged).toBe(bytes.length);
  });

  it('[TERM-3] answers queries of programs in order, with the cursor of that moment', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    const { last } = host.ptys;
    last.output('ab\r\nc\x1b[6n\x1b[?2004h\x1b[?2004$p\x1b[cxyz');
    await host.advance(10);
    await expect.poll(() => last.keys).toBe('\x1b[2;2R\x1b[?2004;1$y\x1b[?62;22c');
  });

  it('[TERM-3] answers a bounded number of queries, and does not cut the output of a program that keeps asking', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    const { last } = host.ptys;
    last.output('.');
    await host.run();
    desk.clear();
    const flood = '\x1b[c'.repeat(8_000);
    last.output(flood);
    await host.advance(100);
    expect(outputOf(await terminalState(desk)) === `.${flood}`).toBe(true);
    expect(desk.types(TERMINAL).length).toBeLessThan(200);
    expect(last.keys.split('c')).toHaveLength(64 + 1);
    last.output('\x1b[c');
    await host.advance(100);
    expect(last.keys.split('c')).toHaveLength(65 + 1);
  });

  it("[TERM-1] takes the program's title, until a client sets one", async () => {
    const host = await startHost();
    const [desk, phone] = [await host.client('desk'), await host.client('phone')];
    await openTerminal(host, desk);
    const { last } = host.ptys;
    last.output('\x1b]0;vi\x07');
    await host.advance(10);
    expect((await terminalState(desk)).title).toBe('vi');
    expect((await terminalList(desk))[0]?.title).toBe('vi');
    expect(await rejection(phone, { type: 'terminal/titleChanged', title: 'mine' })).toBeUndefined();
    last.output('\x1b]0;less\x07');
    await host.advance(200);
    expect((await terminalState(desk)).title).toBe('mine');
  });

  it('[TERM-1] lists only the newest title of a flood', async () => {
    const host = await startHost({ terminals: { scrollbackLength: 1024 * 1024 } });
    const desk = await host.client();
    await desk.subscribe(ROOT);
    await openTerminal(host, desk);
    desk.clear();
    const titles = Array.from({ length: 10_000 }, (_, index) => `\x1b]0;${index}\x07`);
    host.ptys.last.output(titles.join(''));
    await host.advance(120);
    expect((await terminalList(desk))[0]?.title).toBe('9999');
    expect(outputOf(await terminalState(desk))).toBe(titles.join(''));
    expect(desk.types(ROOT).length).toBeLessThan(10);
    expect(desk.types(TERMINAL).length).toBeLessThan(20);
  });

  it('[TERM-1] lists about ten titles a second of a program that sets them all the time, and its last one', async () => {
    const host = await startHost();
    const desk = await host.client();
    await desk.subscribe(ROOT);
    await openTerminal(host, desk);
    desk.clear();
    const { last } = host.ptys;
    for (let index = 0; index < 100; index += 1) {
      last.output(`\x1b]0;${index}\x07`);
      await host.advance(10);
    }
    expect(desk.types(ROOT).length).toBeLessThanOrEqual(11);
    await host.advance(100);
    expect((await terminalList(desk))[0]?.title).toBe('99');
    last.output('\x1b]0;penultimate\x07');
    await host.advance(10);
    last.output('\x1b]0;last\x07');
    last.end(0);
    await host.run();
    expect(await terminalState(desk)).toMatchObject({
      title: 'last',
      lifecycle: { status: 'exited', exitCode: 0 },
    });
  });

  it('[TERM-2] follows the folder of the shell', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    host.ptys.last.output('\x1b]7;file:///tmp/a%20b\x07');
    await host.run();
    expect((await terminalState(desk)).cwd).toBe('file:///tmp/a%20b');
  });

  it('[TERM-2] [TERM-3] makes commands from marks with the right nonce only', async () => {
    const host = await startHost(WITH_BASH);
    const desk = await host.client();
    await openTerminal(host, desk);
    const { last } = host.ptys;
    const mark = (text: string, nonce = nonceOf(host)): string => `\x1b]633;${nonce};${text}\x07`;
    last.output(`${mark('R')}${mark('A')}$ ${mark('B')}ls\r\n${mark('C;ls -a\\x3b x')}file\r\n`);
    last.output(`${mark('D;9', 'f'.repeat(32))}more\r\n`);
    await host.advance(500);
    last.output(`${mark('D;2')}$ `);
    await host.advance(500);
    expect(await terminalState(desk)).toMatchObject({
      supportsCommandDetection: true,
      content: [
        { type: 'unclassified', value: '$ ls\r\n' },
        {
          type: 'command',
          commandLine: 'ls -a; x',
          output: 'file\r\nmore\r\n',
          isComplete: true,
          exitCode: 2,
          durationMs: 500,
        },
        { type: 'unclassified', value: '$ ' },
      ],
    });
    expect(desk.types(TERMINAL)).toContain('terminal/commandDetectionAvailable');
  });
});

describe('the end', () => {
  it('[TERM-6] comes after all output, with the code, and ends an open command without one', async () => {
    const host = await startHost(WITH_BASH);
    const desk = await host.client();
    await desk.subscribe(ROOT);
    await openTerminal(host, desk);
    const { last } = host.ptys;
    last.output(`\x1b]633;${nonceOf(host)};C;exec x\x07bye`);
    last.output(Uint8Array.of(0xe2, 0x82));
    last.end(143);
    await host.run();
    expect(desk.types(TERMINAL).slice(-3)).toEqual([
      'terminal/data',
      'terminal/commandFinished',
      'terminal/exited',
    ]);
    const state = await terminalState(desk);
    expect(state).toMatchObject({
      lifecycle: { status: 'exited', exitCode: 143 },
      content: [{ output: 'bye\ufffd', isComplete: true }],
    });
    expect(state.content[0]).not.toHaveProperty('exitCode');
    expect((await terminalList(desk))[0]).toMatchObject({ lifecycle: { status: 'exited', exitCode: 143 } });
    expect(last.isReleased).toBe(true);
    expect(await rejection(desk, { type: 'terminal/input', data: 'x' })).toBe('exited');
  });

  it('[TERM-6] is unloaded without subscribers, running or not, and is loaded unchanged', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    host.ptys.last.output('kept');
    await host.run();
    desk.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel: TERMINAL } });
    await host.advance(200_000);
    expect(host.host.core.sync.registry.get(TERMINAL)).toBeUndefined();
    host.ptys.last.output(' and on');
    await host.advance(10);
    expect(host.ptys.last.acknowledged).toBe(11);
    await host.advance(200_000);
    expect(host.host.core.sync.registry.get(TERMINAL)).toBeUndefined();
    host.ptys.last.end(0);
    await host.advance(10);
    expect(await terminalList(desk)).toMatchObject([{ lifecycle: { status: 'exited', exitCode: 0 } }]);
    // It was loaded for its end only.
    expect(host.host.core.sync.registry.get(TERMINAL)).toBeUndefined();
    expect(await terminalState(desk)).toMatchObject({
      lifecycle: { status: 'exited', exitCode: 0 },
      content: [{ value: 'kept and on' }],
    });
  });

  it('[TERM-6] a terminal outlives its creator’s client and session', async () => {
    const host = await startHost();
    const [desk, phone] = [await host.client('desk'), await host.client('phone')];
    await host.session(desk, SESSION);
    await openTerminal(host, desk);
    desk.link.cut();
    await host.advance(100_000);
    host.ptys.last.output('still here');
    await host.run();
    expect(outputOf(await terminalState(phone))).toBe('still here');
  });
});

/** Everything in a value, as text. */
const everything = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    each instanceof Map ? [...each] : each instanceof Set ? [...each] : each,
  );
