import { describe, expect, it } from 'vitest';
import type { AgentTerminal } from '../src/agents/agent-terminal.ts';
import type { AgentSessionHost } from '../src/agents/provider.ts';
import { type HostFixture, SESSION, startHost } from './host-fixture.ts';
import { chatOf } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';
import { inSession, ownClaim, rejection, terminalList, terminalState } from './terminal-fixture.ts';

interface Stage {
  readonly host: HostFixture;
  readonly desk: RawClient;
  readonly chat: string;
  /** The agent's interface to the host. */
  readonly agent: AgentSessionHost;
}

/** A session whose agent is in turn `a`. */
async function stage(): Promise<Stage> {
  const host = await startHost();
  const desk = await host.client();
  const { chat } = await host.session(desk);
  await desk.act(chat, {
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId: 'a',
    message: { text: 'go', origin: { kind: 'user' } },
  });
  await host.run();
  const agent = host.agent.opened.at(-1)?.host;
  if (agent === undefined) throw new Error('the agent was not opened');
  return { host, desk, chat, agent };
}

/** Runs the host until the promise settles. */
async function settled<T>(host: HostFixture, promise: Promise<T>): Promise<T> {
  await host.clock.runUntilSettled(promise);
  return promise;
}

/** Whether a promise has resolved after all pending work. */
async function isDone(host: HostFixture, promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  await host.run();
  return done;
}

describe('a terminal of an agent', () => {
  it('[TERM-5] is held by its session for the turn that uses it, in the chat’s folder, with the command as its title', async () => {
    const { host, desk, agent } = await stage();
    const terminal = await settled(
      host,
      agent.terminal({ command: ['make', '-j2'], env: { A: '1' }, use: { turnId: 'a' } }),
    );
    expect(host.ptys.last.spec).toMatchObject({ command: ['make', '-j2'], cwd: process.cwd() });
    expect(host.ptys.last.spec.env['A']).toBe('1');
    expect(await terminalList(desk)).toEqual([
      {
        resource: terminal.uri,
        title: 'make -j2',
        claim: { ...inSession, turnId: 'a' },
        lifecycle: { status: 'running' },
      },
    ]);
    expect(terminal.title).toBe('make -j2');
  });

  it('[TERM-6] returns its output and its end', async () => {
    const { host, agent } = await stage();
    const terminal = await settled(host, agent.terminal({ command: 'echo hi | wc' }));
    expect(host.ptys.last.spec.command.slice(1)).toEqual(['-c', 'echo hi | wc']);
    host.ptys.last.output('aä€');
    await host.run();
    expect(terminal.output(100)).toEqual({ text: 'aä€', isTruncated: false });
    expect(terminal.output(5)).toEqual({ text: 'ä€', isTruncated: true });
    expect(terminal.output(4)).toEqual({ text: '€', isTruncated: true });
    expect(terminal.output(2)).toEqual({ text: '', isTruncated: true });
    expect(await isDone(host, terminal.exited)).toBe(false);
    terminal.write('y\r');
    expect(host.ptys.last.keys).toBe('y\r');
    host.ptys.last.end(3);
    await host.run();
    expect(await terminal.exited).toEqual({ exitCode: 3 });
    expect(terminal.output(3)).toMatchObject({ exitCode: 3 });
    // The agent may read it without any subscriber.
    await host.advance(200_000);
    expect(terminal.output(100).text).toBe('aä€');
  });

  it('[CHAT-46] [TERM-5] notifies the agent when a person sends it to the background, and not when the agent does', async () => {
    const { host, desk, agent } = await stage();
    const terminal = await settled(
      host,
      agent.terminal({ command: ['sleep', '9'], use: { turnId: 'a', toolCallId: 't' } }),
    );
    terminal.use(undefined);
    expect(await isDone(host, terminal.detached)).toBe(false);
    terminal.use({ turnId: 'a', toolCallId: 't' });
    await host.run();
    expect((await terminalState(desk, terminal.uri)).claim).toEqual({
      ...inSession,
      turnId: 'a',
      toolCallId: 't',
    });
    const narrow = { type: 'terminal/claimed', claim: inSession };
    expect(await rejection(desk, narrow, terminal.uri)).toBeUndefined();
    expect(await isDone(host, terminal.detached)).toBe(true);
    expect((await chatOf(desk, inSession.chat)).backgroundWork).toMatchObject([
      { kind: 'shell', id: terminal.uri, command: terminal.title, terminal: terminal.uri },
    ]);
    // When a turn uses it again, it can be sent to the background again.
    terminal.use({ turnId: 'a' });
    expect(await isDone(host, terminal.detached)).toBe(false);
    expect((await chatOf(desk, inSession.chat)).backgroundWork).toEqual([]);
    await rejection(desk, narrow, terminal.uri);
    expect(await isDone(host, terminal.detached)).toBe(true);
    await terminal.release();
    await host.run();
    expect(host.ptys.last.hasEnded).toBe(false);
  });

  it('[TERM-5] [TERM-6] is removed when the agent releases it, unless a client has claimed it', async () => {
    const { host, desk, agent } = await stage();
    const start = (): Promise<AgentTerminal> => settled(host, agent.terminal({ command: ['sleep', '9'] }));
    const [gone, taken] = [await start(), await start()];
    await desk.act(taken.uri, { type: 'terminal/claimed', claim: ownClaim(desk) });
    taken.use({ turnId: 'a' });
    await host.run();
    expect((await terminalState(desk, taken.uri)).claim).toEqual(ownClaim(desk));
    await settled(host, Promise.all([gone.release(), gone.release(), taken.release()]));
    await host.run();
    expect((await terminalList(desk)).map(({ resource }) => resource)).toEqual([taken.uri]);
    expect(host.ptys.ptys.map(({ hasEnded }) => hasEnded)).toEqual([true, false]);
  });

  it('[CHAT-37] that its agent released is rebuilt for subscribers, also after a restart, and leaves memory again', async () => {
    const { host, desk, agent } = await stage();
    const terminal = await settled(host, agent.terminal({ command: ['make'], use: { turnId: 'a' } }));
    const { uri } = terminal;
    host.ptys.last.output('made it\r\n');
    host.ptys.last.end(2);
    await host.run();
    await settled(host, terminal.release());
    expect(await terminalList(desk)).toEqual([]);
    const shown = {
      title: 'make',
      claim: inSession,
      lifecycle: { status: 'exited', exitCode: 2 },
      content: [{ type: 'unclassified', value: 'made it\r\n' }],
    };
    expect(await terminalState(desk, uri)).toMatchObject(shown);
    expect(await rejection(desk, { type: 'terminal/titleChanged', title: 'x' }, uri)).toBe('exited');
    await expect(desk.request('disposeTerminal', { channel: uri })).rejects.toThrow('removed before');
    desk.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel: uri } });
    await host.advance(200_000);
    expect(host.host.core.sync.registry.get(uri)).toBeUndefined();
    host.agent.turn.complete();
    await host.run();
    await host.restart();
    const other = await host.client();
    expect(await terminalState(other, uri)).toMatchObject(shown);
    expect(await terminalList(other)).toEqual([]);
    await expect(other.subscribe('ahp-terminal:/unknown')).rejects.toThrow('No channel');
  });

  it('[CHAT-37] goes with the last turn that shows it', async () => {
    const { host, desk, agent, chat } = await stage();
    const used = await settled(host, agent.terminal({ command: ['make'], use: { turnId: 'a' } }));
    const unused = await settled(host, agent.terminal({ command: ['make'] }));
    await settled(host, Promise.all([used.release(), unused.release()]));
    await expect(desk.subscribe(unused.uri)).rejects.toThrow('No channel');
    host.agent.turn.complete();
    await host.run();
    await desk.act(chat, { type: 'chat/truncated' });
    await host.run();
    await expect(desk.subscribe(used.uri)).rejects.toThrow('No channel');
  });

  it('[TERM-6] is unloaded after its end, and can still be released, unless a client has claimed it', async () => {
    const { host, desk, agent } = await stage();
    const start = (): Promise<AgentTerminal> => settled(host, agent.terminal({ command: ['true'] }));
    const [gone, taken] = [await start(), await start()];
    for (const pty of host.ptys.ptys) pty.end(0);
    await host.advance(200_000);
    for (const { uri } of [gone, taken]) expect(host.host.core.sync.registry.get(uri)).toBeUndefined();
    await desk.subscribe(taken.uri);
    await desk.act(taken.uri, { type: 'terminal/claimed', claim: ownClaim(desk) });
    await settled(host, Promise.all([gone.release(), taken.release()]));
    await host.run();
    expect((await terminalList(desk)).map(({ resource }) => resource)).toEqual([taken.uri]);
  });

  it('[TERM-6] that is killed stays readable', async () => {
    const { host, desk, agent } = await stage();
    const terminal = await settled(host, agent.terminal({ command: ['sleep', '9'] }));
    await terminal.kill();
    await host.run();
    expect(await terminal.exited).toEqual({ exitCode: 129 });
    expect(await terminalState(desk, terminal.uri)).toMatchObject({
      lifecycle: { status: 'exited', exitCode: 129 },
    });
  });

  it('[TERM-1] that cannot be started is reported to the agent', async () => {
    const { host, agent } = await stage();
    host.ptys.failNextSpawn('cannot find nope');
    await expect(settled(host, agent.terminal({ command: ['nope'] }))).rejects.toMatchObject({
      name: 'AgentError',
      message: expect.stringContaining('cannot find nope'),
    });
  });

  it('[TERM-6] is removed with its session, even during its start', async () => {
    const { host, desk, agent } = await stage();
    const terminal = await settled(host, agent.terminal({ command: ['sleep', '9'] }));
    await desk.request('disposeSession', { channel: SESSION });
    await host.run();
    expect(await terminal.exited).toEqual({ exitCode: 129 });
    expect(await terminalList(desk)).toEqual([]);
    await terminal.release();
    await expect(settled(host, agent.terminal({ command: ['sleep', '9'] }))).rejects.toMatchObject({
      name: 'AgentError',
    });
  });
});
