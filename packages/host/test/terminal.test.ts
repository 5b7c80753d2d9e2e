import { describe, expect, it } from 'vitest';
import { ROOT, startHost } from './host-fixture.ts';
import {
  inSession,
  openTerminal,
  ownClaim,
  TERMINAL,
  terminalList,
  terminalState,
} from './terminal-fixture.ts';

describe('createTerminal', () => {
  it('[TERM-1] starts a pty of 80×24 in the default folder and lists it', async () => {
    const host = await startHost();
    const client = await host.client();
    await client.subscribe(ROOT);
    await openTerminal(host, client);
    expect(client.types(ROOT)).toEqual(['root/terminalsChanged']);
    const info = {
      resource: TERMINAL,
      title: expect.any(String),
      claim: ownClaim(client),
      lifecycle: { status: 'running' },
    };
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

  it('[TERM-1] passes its URI to its program in a variable, unless that variable is given', async () => {
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
    [
      'an unknown session',
      { claim: { kind: 'session', session: 'ahp-session:/none', chat: 'ahp-chat:/none' } },
      -32001,
    ],
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

  it('[TERM-1] takes a URI once, also for two simultaneous requests', async () => {
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

  it('[TERM-1] keeps non-admins within the roots', async () => {
    const host = await startHost();
    const guest = await host.client('guest', {}, { tokenHash: 'guest', scope: 'interact' as const });
    const asked = guest.request('createTerminal', {
      channel: TERMINAL,
      claim: ownClaim(guest),
      cwd: 'file:///',
    });
    await expect(asked).rejects.toMatchObject({ code: -32009 });
  });

  it('[TERM-1] reports why a command cannot run', async () => {
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

  it('[TERM-1] does not blame the command when no pty can be started', async () => {
    const host = await startHost();
    const client = await host.client();
    host.ptys.failNextSpawn('the keeper of terminals did not answer', 'owner');
    const asked = client.raw('createTerminal', {
      channel: TERMINAL,
      claim: ownClaim(client),
      'x-command': ['sh'],
    });
    await expect(asked).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('the keeper of terminals did not answer'),
    });
  });

  it('[TERM-1] limits the number of terminals', async () => {
    const host = await startHost();
    const client = await host.client();
    const create = (index: number): Promise<unknown> =>
      client.request('createTerminal', { channel: `ahp-terminal:/${index}`, claim: ownClaim(client) });
    for (let index = 0; index < 256; index += 1) await create(index);
    await expect(create(256)).rejects.toMatchObject({ code: -32011 });
    await client.request('disposeTerminal', { channel: 'ahp-terminal:/7' });
    await create(256);
  });

  it('[TERM-1] makes room by removing the oldest ended terminal of a session', async () => {
    const host = await startHost();
    const client = await host.client();
    await host.session(client);
    const create = (index: number, by = client): Promise<unknown> =>
      by.raw('createTerminal', {
        channel: `ahp-terminal:/${index}`,
        claim: index % 50 === 7 ? inSession : ownClaim(by),
      });
    for (let index = 0; index < 256; index += 1) await create(index);
    for (const index of [6, 57, 107]) host.ptys.ptys[index]?.end(0);
    // The terminals are unloaded by now.
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
  it('[TERM-1] notifies root subscribers of its title, claim, exit and removal, and of nothing else', async () => {
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
    const entry = {
      resource: TERMINAL,
      title: 'build',
      claim: ownClaim(desk),
      lifecycle: { status: 'running' },
    };
    expect(await told(() => desk.act(TERMINAL, title))).toEqual([[entry]]);
    const claim = ownClaim(viewer);
    expect(await told(() => desk.act(TERMINAL, { type: 'terminal/claimed', claim }))).toEqual([
      [{ ...entry, claim }],
    ]);
    expect(await told(() => host.ptys.last.output('text'))).toEqual([]);
    expect(await told(() => host.ptys.last.end(3))).toEqual([
      [{ ...entry, claim, lifecycle: { status: 'exited', exitCode: 3 } }],
    ]);
    expect(await told(() => desk.request('disposeTerminal', { channel: TERMINAL }))).toEqual([[]]);
  });

  it('[TERM-1] ends the program, and removes the terminal and its list entry', async () => {
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
  it('[TERM-5] [TERM-6] reaches the foreground process, for every client that may type', async () => {
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
