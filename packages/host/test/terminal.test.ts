import type { ActionEnvelope } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import type { Channel } from '../src/sync/channel.ts';
import { type HostFixture, ROOT, SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';
import {
  openTerminal,
  outputOf,
  ownClaim,
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

/** What the shell integration of the terminal signs its marks with. */
const nonceOf = (host: HostFixture): string => inMemory(host).local.nonce ?? 'none';

const actions = (client: RawClient): ActionEnvelope['action'][] =>
  client.envelopes(TERMINAL).map(({ action }) => action);

describe('createTerminal', () => {
  it('[TERM-1] starts a pty of 80×24 in the default folder and lists it', async () => {
    const host = await startHost();
    const client = await host.client();
    await client.subscribe(ROOT);
    await openTerminal(host, client);
    expect(client.types(ROOT)).toEqual(['root/terminalsChanged']);
    const info = { resource: TERMINAL, title: expect.any(String), claim: ownClaim(client) };
    expect(await terminalList(client)).toEqual([info]);
    expect(host.ptys.last.spec).toMatchObject({ cols: 80, rows: 24, cwd: process.cwd() });
    expect(host.ptys.last.spec.env).toMatchObject({ TERM: 'xterm-256color' });
    expect(await terminalState(client)).toMatchObject({
      cols: 80,
      rows: 24,
      cwd: `file://${process.cwd()}`,
      content: [],
    });
  });

  it('[TERM-1] runs a command of its own with a name, a size and variables', async () => {
    const host = await startHost();
    const client = await host.client();
    const rest = { 'x-command': ['vi', 'a b'], 'x-env': { A: '1' }, name: 'notes', cols: 100, rows: 40 };
    await openTerminal(host, client, rest);
    const { command, env, cols, rows } = host.ptys.last.spec;
    expect({ command, cols, rows, a: env['A'] }).toEqual({
      command: ['vi', 'a b'],
      cols: 100,
      rows: 40,
      a: '1',
    });
    expect((await terminalState(client)).title).toBe('notes');
  });

  it('[TERM-1] tells what runs in it which terminal it is, unless the variable is given', async () => {
    const host = await startHost();
    const client = await host.client();
    await openTerminal(host, client);
    expect(host.ptys.last.spec.env['AGENTHOST_TERMINAL']).toBe(TERMINAL);
    const given = { channel: 'ahp-terminal:/given', 'x-env': { AGENTHOST_TERMINAL: 'another' } };
    await openTerminal(host, client, given);
    expect(host.ptys.last.spec.env['AGENTHOST_TERMINAL']).toBe('another');
  });

  const self = { kind: 'client', clientId: 'desk' } as const;
  it.each<[string, object, number]>([
    ['a URI that names something else', { channel: 'ahp-chat:/x', claim: self }, -32602],
    ['a claim for another client', { claim: { kind: 'client', clientId: 'other' } }, -32602],
    ['an unknown session', { claim: { kind: 'session', session: 'ahp-session:/none' } }, -32001],
    ['a folder that is no file', { claim: self, cwd: 'http://example.org/' }, -32602],
    ['a folder that does not exist', { claim: self, cwd: 'file:///does/not/exist' }, -32008],
    ['an empty command', { claim: self, 'x-command': [] }, -32602],
    ['a bad name of a variable', { claim: self, 'x-env': { 'A=B': '1' } }, -32602],
    ['an empty name', { claim: self, name: ' ' }, -32602],
    ['a name too long', { claim: self, name: 'n'.repeat(513) }, -32602],
    ['no columns', { claim: self, cols: 0 }, -32602],
  ])('[TERM-1] refuses %s', async (_, params, code) => {
    const host = await startHost();
    const client = await host.client('desk');
    await expect(client.raw('createTerminal', { channel: TERMINAL, ...params })).rejects.toMatchObject({
      code,
    });
    expect(host.ptys.ptys).toEqual([]);
    expect(await terminalList(client)).toEqual([]);
  });

  it('[TERM-1] checks the URI first, then claim, then folder', async () => {
    const host = await startHost();
    const client = await host.client('desk');
    await openTerminal(host, client);
    const wrong = { claim: { kind: 'client', clientId: 'other' }, cwd: 'file:///does/not/exist' } as const;
    const create = (channel: string): Promise<unknown> => client.raw('createTerminal', { channel, ...wrong });
    await expect(create(TERMINAL)).rejects.toMatchObject({ code: -32010 });
    await expect(create('ahp-terminal:/u')).rejects.toMatchObject({ code: -32602 });
  });

  it('[TERM-1] takes a URI once, also of two who ask at the same time', async () => {
    const host = await startHost();
    const [a, b] = [await host.client(), await host.client()];
    const ids = [a, b].map((client) =>
      client.ask('createTerminal', { channel: TERMINAL, claim: ownClaim(client) }),
    );
    await host.run();
    const codes = [a, b].map((client, index) => client.answerTo(ids[index] ?? 0)?.error?.code ?? 0);
    expect(codes.toSorted()).toEqual([-32010, 0].toSorted());
    expect(host.ptys.ptys.filter(({ hasEnded }) => !hasEnded)).toHaveLength(1);
  });

  it('[TERM-1] keeps who is no admin within the roots', async () => {
    const host = await startHost();
    const guest = await host.client('guest', {}, { tokenHash: 'guest', isAdmin: false });
    const asked = guest.request('createTerminal', {
      channel: TERMINAL,
      claim: ownClaim(guest),
      cwd: 'file:///',
    });
    await expect(asked).rejects.toMatchObject({ code: -32009 });
  });

  it('[TERM-1] says of a command that cannot run why', async () => {
    const host = await startHost();
    const client = await host.client();
    host.ptys.failNextSpawn('cannot find nope in PATH');
    const create = (params: object): Promise<unknown> =>
      client.raw('createTerminal', { channel: TERMINAL, claim: ownClaim(client), ...params });
    await expect(create({ 'x-command': ['nope'] })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('nope'),
    });
    host.ptys.failNextSpawn('out of ptys');
    await expect(create({})).rejects.toMatchObject({ code: -32603 });
    await create({});
  });

  it('[TERM-1] has a bound on terminals at once', async () => {
    const host = await startHost();
    const client = await host.client();
    const create = (index: number): Promise<unknown> =>
      client.request('createTerminal', { channel: `ahp-terminal:/${index}`, claim: ownClaim(client) });
    for (let index = 0; index < 256; index += 1) await create(index);
    await expect(create(256)).rejects.toMatchObject({ code: -32011 });
    await client.request('disposeTerminal', { channel: 'ahp-terminal:/7' });
    await create(256);
  });

  it('[TERM-1] has room as long as a session holds terminals that have ended: the oldest goes', async () => {
    const host = await startHost();
    const client = await host.client();
    await host.session(client);
    const inSession = { kind: 'session', session: SESSION };
    const create = (index: number, by = client): Promise<unknown> =>
      by.raw('createTerminal', {
        channel: `ahp-terminal:/${index}`,
        claim: index % 50 === 7 ? inSession : ownClaim(by),
      });
    for (let index = 0; index < 256; index += 1) await create(index);
    for (const index of [6, 57, 107]) host.ptys.ptys[index]?.end(0);
    // Out of memory by now.
    await host.advance(200_000);
    await Promise.all([create(256), create(258, await host.client())]);
    await expect(create(259)).rejects.toMatchObject({ code: -32011 });
    const left = (await terminalList(client)).map(({ resource }) => resource);
    expect(left).toHaveLength(256);
    for (const index of [57, 107]) expect(left).not.toContain(`ahp-terminal:/${index}`);
    await expect(client.subscribe('ahp-terminal:/57')).rejects.toMatchObject({ code: -32008 });
  });

  it('[TERM-1] leaves no pty behind when it cannot be journaled', async () => {
    const host = await startHost();
    const client = await host.client();
    host.journal.failNextCommits(1);
    const asked = client.ask('createTerminal', { channel: TERMINAL, claim: ownClaim(client) });
    await host.run();
    expect(client.answerTo(asked)?.error?.code).toBe(-32603);
    expect(host.ptys.last.hasEnded).toBe(true);
    await host.advance(1_000);
    await openTerminal(host, client);
    expect(host.ptys.last.hasEnded).toBe(false);
  });
});

describe('disposeTerminal', () => {
  it('[TERM-1] tells who watches the root of its title, its claim, its exit and its removal, and of nothing else', async () => {
    const host = await startHost();
    const [desk, viewer] = [await host.client('desk'), await host.client('viewer')];
    await openTerminal(host, desk);
    await viewer.subscribe(ROOT);
    const told = async (deed: () => unknown): Promise<unknown> => {
      viewer.clear();
      await deed();
      await host.run();
      return viewer
        .envelopes(ROOT)
        .map(({ action }) => (action.type === 'root/terminalsChanged' ? action.terminals : action));
    };
    const title = { type: 'terminal/titleChanged', title: 'build' };
    const entry = { resource: TERMINAL, title: 'build', claim: ownClaim(desk) };
    expect(await told(() => desk.act(TERMINAL, title))).toEqual([[entry]]);
    const claim = ownClaim(viewer);
    expect(await told(() => desk.act(TERMINAL, { type: 'terminal/claimed', claim }))).toEqual([
      [{ ...entry, claim }],
    ]);
    expect(await told(() => host.ptys.last.output('text'))).toEqual([]);
    expect(await told(() => host.ptys.last.end(3))).toEqual([[{ ...entry, claim, exitCode: 3 }]]);
    expect(await told(() => desk.request('disposeTerminal', { channel: TERMINAL }))).toEqual([[]]);
  });

  it('[TERM-1] ends what runs, removes the terminal, and its list entry', async () => {
    const host = await startHost();
    const client = await host.client();
    await openTerminal(host, client);
    await client.request('disposeTerminal', { channel: TERMINAL });
    await host.run();
    expect(host.ptys.last.killCount).toBe(1);
    expect(host.ptys.last.isReleased).toBe(true);
    expect(await terminalList(client)).toEqual([]);
    await expect(client.subscribe(TERMINAL)).rejects.toMatchObject({ code: -32008 });
    await expect(client.request('disposeTerminal', { channel: TERMINAL })).rejects.toMatchObject({
      code: -32008,
    });
    // Its URI is free again.
    await openTerminal(host, client);
    expect(await terminalList(client)).toHaveLength(1);
  });
});

describe('x-signalTerminal', () => {
  it('[TERM-5] [TERM-6] reaches what runs in front, from whoever may type', async () => {
    const host = await startHost();
    const [desk, phone] = [await host.client('desk'), await host.client('phone')];
    await openTerminal(host, desk);
    const params = { channel: TERMINAL, signal: 'INT' } as const;
    await desk.request('x-signalTerminal', params);
    await expect(phone.request('x-signalTerminal', params)).rejects.toMatchObject({ code: -32009 });
    expect(host.ptys.last.signals).toEqual(['SIGINT']);
    host.ptys.last.end(130);
    await host.run();
    await expect(desk.request('x-signalTerminal', params)).rejects.toMatchObject({ code: -32011 });
    const unknown = { ...params, channel: 'ahp-terminal:/none' };
    await expect(desk.request('x-signalTerminal', unknown)).rejects.toMatchObject({ code: -32008 });
    await expect(desk.raw('x-signalTerminal', { ...params, signal: 'SEGV' })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe('input', () => {
  it('[TERM-2] [ACT-7] reaches the pty, is echoed to its sender alone and journaled nowhere', async () => {
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

  it('[ACT-5] is never typed twice, when it was sent again after the echo was lost', async () => {
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

  it('[WIRE-6] keeps its place among the other actions of its sender, and is written whole', async () => {
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

  it('[TERM-2] is refused while it cannot be remembered, and typed not at all', async () => {
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
  it('[TERM-2] goes at once after a silence, then in one action for what comes within 8 ms', async () => {
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

  it('[TERM-2] of a flood comes in pieces of 64 KiB, and no terminal takes a turn of the event loop for itself', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    const { last } = host.ptys;
    const flood = 'y\n'.repeat(450_000);
    last.output(flood);
    // What is taken before anything else had a turn.
    expect(outputOf(inMemory(host).state).length).toBeLessThan(300_000);
    await host.advance(100);
    expect(outputOf(await terminalState(desk)) === flood).toBe(true);
    const lengths = actions(desk).map((action) => (action.type === 'terminal/data' ? action.data.length : 0));
    expect(Math.max(...lengths)).toBeLessThanOrEqual(128 * 1024);
    expect(last.acknowledged).toBe(900_000);
  });

  it('[TERM-3] keeps characters whole over reads, and takes marks of shell integration out', async () => {
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

  it('[TERM-3] answers what programs ask of their terminal, in order, with the cursor as it was then', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    const { last } = host.ptys;
    last.output('ab\r\nc\x1b[6n\x1b[?2004h\x1b[?2004$p\x1b[cxyz');
    await host.advance(10);
    await expect.poll(() => last.keys).toBe('\x1b[2;2R\x1b[?2004;1$y\x1b[?62;22c');
  });

  it('[TERM-3] answers as many queries as anybody needs, and does not cut the output of a program that goes on asking', async () => {
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

  it("[TERM-1] takes the program's title, until somebody names it", async () => {
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

  it('[TERM-1] lists the newest of titles that come in a flood, and no other', async () => {
    const host = await startHost();
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

  it('[TERM-1] lists about ten titles a second of a program that says them all the time, and its last', async () => {
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
    expect(await terminalState(desk)).toMatchObject({ title: 'last', exitCode: 0 });
  });

  it('[TERM-2] follows where the shell is', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    host.ptys.last.output('\x1b]7;file:///tmp/a%20b\x07');
    await host.run();
    expect((await terminalState(desk)).cwd).toBe('file:///tmp/a%20b');
  });

  it('[TERM-2] [TERM-3] makes commands of marks with the right nonce, and nothing of others', async () => {
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
    expect(state).toMatchObject({ exitCode: 143, content: [{ output: 'bye\ufffd', isComplete: true }] });
    expect(state.content[0]).not.toHaveProperty('exitCode');
    expect((await terminalList(desk))[0]).toMatchObject({ exitCode: 143 });
    expect(last.isReleased).toBe(true);
    expect(await rejection(desk, { type: 'terminal/input', data: 'x' })).toBe('exited');
  });

  it('[TERM-6] leaves memory once nobody looks, and comes back as it was', async () => {
    const host = await startHost();
    const desk = await host.client();
    await openTerminal(host, desk);
    host.ptys.last.output('kept');
    await host.run();
    desk.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel: TERMINAL } });
    await host.advance(200_000);
    expect(host.host.core.sync.registry.get(TERMINAL)).toBeDefined();
    host.ptys.last.end(0);
    await host.advance(200_000);
    expect(host.host.core.sync.registry.get(TERMINAL)).toBeUndefined();
    expect(await terminalState(desk)).toMatchObject({ exitCode: 0, content: [{ value: 'kept' }] });
  });

  it('[TERM-6] a terminal outlives the client and the session of its maker', async () => {
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

/** Everything that something holds, as text. */
const everything = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    each instanceof Map ? [...each] : each instanceof Set ? [...each] : each,
  );
