import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processStartTime } from '@agenthost/host/agent';
import { openChat } from '@agenthost/testkit';
import { describe, expect, it, vi } from 'vitest';
import { createAcpProvider } from '../src/acp/provider.ts';
import {
  ManualTimers,
  nodeAgent,
  permission,
  RunningChildren,
  scriptedAgent,
  steps,
  temporaryFolder,
} from './acp-chats.ts';

/** A process that has exited but is not reaped yet does not count as running. */
const isRunning = async (pid: number): Promise<boolean> => (await processStartTime(pid)) !== undefined;

/** Resolves once `check` no longer throws; how long that takes depends on the machine. */
const eventually = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 30_000 });

/** The rejection of a promise, handled from now on; `undefined` when it resolves. */
function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

const sessionSteps = steps({ saySession: true });

describe('the process of an agent', () => {
  it('starts on first use, serves several chats, and is recorded while it runs', async () => {
    const childRegistry = new RunningChildren();
    const provider = scriptedAgent({}, {}, { childRegistry });
    provider.describe();
    await provider.availability();
    expect(childRegistry.all).toEqual([]);

    const workingDirectory = temporaryFolder();
    const chats = await Promise.all([1, 2, 3].map(() => openChat(provider, { workingDirectory })));
    const turns = chats.map((chat) => chat.prompt(sessionSteps));
    await Promise.all(turns.map((turn) => turn.done));
    expect(childRegistry.all).toHaveLength(1);
    const [pid] = childRegistry.all;
    expect(turns.map((turn) => turn.output.text)).toEqual([1, 2, 3].map((count) => `${pid} ${pid}-${count}`));

    await provider.dispose();
    await provider.dispose();
    expect(childRegistry.running.size).toBe(0);
    await expect(openChat(provider, { workingDirectory })).rejects.toMatchObject({
      errorType: 'agentExited',
    });
  });

  it('runs once per chat, in the folder of the chat, if the catalogue says so', async () => {
    const childRegistry = new RunningChildren();
    const provider = scriptedAgent({}, { sharesProcess: false }, { childRegistry });
    const workingDirectory = temporaryFolder();
    const chat = await openChat(provider, { workingDirectory });
    const turn = chat.prompt(steps({ sayEnv: true }));
    await turn.done;
    expect(JSON.parse(turn.output.text)).toMatchObject({ cwd: workingDirectory });
    expect(childRegistry.running.size).toBe(1);
    await chat.session.close();
    await eventually(() => expect(childRegistry.running.size).toBe(0));
  });

  it('that must forget its permissions serves no further turn: a running turn continues, the next gets a new process', async () => {
    const childRegistry = new RunningChildren();
    const provider = scriptedAgent({}, {}, { childRegistry });
    const workingDirectory = temporaryFolder();
    const busy = await openChat(provider, { workingDirectory });
    const other = await openChat(provider, { workingDirectory });
    const running = busy.prompt(
      steps(permission('t', ['allow_once:yes']), { sayAnswer: true }, { saySession: true }),
    );
    const call = await running.output.callIn('pending-confirmation');
    provider.forgetGrants?.('ahp-chat:/any');
    const next = other.prompt(sessionSteps);
    await next.done;
    const [old, fresh] = childRegistry.all;
    expect(next.output.text.startsWith(`${fresh} `)).toBe(true);
    expect(await isRunning(old ?? 0)).toBe(true);
    call.answer({ approved: true });
    await running.done;
    expect(running.output.text).toContain(`${old} `);
    await eventually(() => expect([...childRegistry.running]).toEqual([fresh]));
    // An unused process is stopped at once, and the host's stop waits for all processes.
    provider.forgetGrants?.('ahp-chat:/any');
    await eventually(() => expect(childRegistry.running.size).toBe(0));
  });

  it('stops when no turn has used it for ten minutes, and starts again for the next turn', async () => {
    const timers = new ManualTimers();
    const childRegistry = new RunningChildren();
    const provider = scriptedAgent(
      { init: { agentCapabilities: { loadSession: true } } },
      {},
      { timers, childRegistry },
    );
    const chat = await openChat(provider, { workingDirectory: temporaryFolder() });
    timers.advance(10 * 60_000 - 1);
    expect(childRegistry.running.size).toBe(1);

    // A long turn counts as use.
    const long = chat.prompt(steps(permission('t', ['allow_once:yes'])));
    const call = await long.output.callIn('pending-confirmation');
    timers.advance(60 * 60_000);
    call.answer({ approved: true });
    await eventually(() => expect(timers.waitingMs).toContain(150));
    timers.advance(150);
    await long.done;
    expect(childRegistry.running.size).toBe(1);

    timers.advance(10 * 60_000);
    await eventually(() => expect(childRegistry.running.size).toBe(0));
    expect(chat.host.exits).toEqual([]);

    const next = chat.prompt(steps({ sayCalls: 'session/load' }, { result: { usage: { inputTokens: 1 } } }));
    // Loading waits for late history.
    await eventually(() => expect(timers.waitingMs).toContain(200));
    timers.advance(200);
    await next.done;
    const { sessionId } = chat.host.memory as { sessionId: string };
    expect(JSON.parse(next.output.text)).toMatchObject([{ sessionId }]);
    expect(childRegistry.all).toHaveLength(2);
    // `dispose` waits until the processes have stopped.
    const disposed = provider.dispose();
    await eventually(() => expect(childRegistry.running.size).toBe(0));
    await disposed;
  });

  it("gets the host's environment by an allow list, and never the host's token", async () => {
    const provider = scriptedAgent(
      {},
      {
        envAllow: ['SPECIAL_*', '*'.slice(1), 'AGENTHOST_*'],
        env: { SET: 'by config', AGENTHOST_TOKEN: 'no' },
      },
      {
        environment: {
          PATH: process.env['PATH'],
          HOME: temporaryFolder(),
          LC_ALL: 'C',
          SPECIAL_KEY: 'key',
          SECRET: 'secret',
          AGENTHOST_TOKEN: 'token',
        },
      },
    );
    const chat = await openChat(provider, { workingDirectory: temporaryFolder() });
    const turn = chat.prompt(steps({ sayEnv: true }));
    await turn.done;
    const { env, cwd } = JSON.parse(turn.output.text);
    expect(Object.keys(env).sort()).toEqual([
      'AGENTHOST_AGENT_PROCESS',
      'HOME',
      'LC_ALL',
      'PATH',
      'SET',
      'SPECIAL_KEY',
    ]);
    expect(cwd).toBe(env.HOME);
  });

  it('that ignores TERM is killed after the grace period', async () => {
    const childRegistry = new RunningChildren();
    const provider = scriptedAgent({ ignoresTerm: true }, {}, { childRegistry, killGraceMs: 100 });
    await openChat(provider, { workingDirectory: temporaryFolder() });
    const [pid = 0] = childRegistry.all;
    expect(await isRunning(pid)).toBe(true);
    await provider.dispose();
    expect(await isRunning(pid)).toBe(false);
  });

  it('[CHAT-5] that exits during a turn ends the turn, with its exit code and its last output', async () => {
    const provider = scriptedAgent();
    const chat = await openChat(provider, { workingDirectory: temporaryFolder() });
    const turn = chat.prompt(
      steps({ say: 'half' }, { write: { text: 'out of memory\n', to: 'stderr' } }, { exit: 7 }),
    );
    await expect(turn.done).rejects.toMatchObject({
      errorType: 'agentExited',
      message: expect.stringMatching(/Test agent exited unexpectedly \(exit code 7\).*out of memory/s),
    });
    expect(turn.output.text).toBe('half');
    expect(chat.host.exits).toEqual([expect.stringContaining('exit code 7')]);
    // The next turn starts another process.
    const next = chat.prompt('hi');
    await next.done;
    expect(next.output.text).toBe('You said: hi');
  });

  it('that floods stderr keeps running, and only the end of its stderr is kept', async () => {
    const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
    const flood = { text: 'x'.repeat(64 * 1024), count: 160, to: 'stderr' as const };
    const turn = chat.prompt(steps({ write: flood }, { say: 'fine' }));
    await turn.done;
    expect(turn.output.text).toBe('fine');
    const last = chat.prompt(steps({ write: flood }, { exit: 1 }));
    const error = await rejection(last.done);
    expect(error).toMatchObject({ errorType: 'agentExited' });
    expect(String(error).length).toBeLessThan(10_000);
  });

  it('that sends a line of 50 MB is stopped with a clear error and bounded memory', async () => {
    const childRegistry = new RunningChildren();
    const provider = scriptedAgent({}, {}, { childRegistry });
    const chat = await openChat(provider, { workingDirectory: temporaryFolder() });
    const turn = chat.prompt(steps({ write: { text: 'x'.repeat(1024 * 1024), count: 50 } }));
    await expect(turn.done).rejects.toMatchObject({
      errorType: 'agentError',
      message: expect.stringMatching(/^Test agent was stopped: .*33554432 bytes/),
    });
    await eventually(() => expect(childRegistry.running.size).toBe(0));
  });

  it('that does not answer its start in time is reported as unresponsive, and stopped', async () => {
    const timers = new ManualTimers();
    const childRegistry = new RunningChildren();
    const provider = scriptedAgent({ silent: ['initialize'] }, {}, { timers, childRegistry });
    const opening = openChat(provider, { workingDirectory: temporaryFolder() });
    const failed = rejection(opening);
    await eventually(() => expect(timers.waitingMs).toContain(60_000));
    timers.advance(60_000);
    expect(await failed).toMatchObject({
      errorType: 'agentUnresponsive',
      message: expect.stringContaining('within 60 s'),
    });
    await eventually(() => expect(childRegistry.running.size).toBe(0));
  });

  it('[ROOT-3] reports the progress of its start', async () => {
    const { host } = await openChat(scriptedAgent({}), { workingDirectory: temporaryFolder() });
    expect(host.steps).toEqual(['handshake', 'session']);
  });

  it('that hangs at its start does not delay the stop of the host', async () => {
    const childRegistry = new RunningChildren();
    const provider = scriptedAgent({ silent: ['initialize'] }, {}, { childRegistry });
    const failed = rejection(openChat(provider, { workingDirectory: temporaryFolder() }));
    await eventually(() => expect(childRegistry.running.size).toBe(1));
    await provider.dispose();
    expect(await failed).toMatchObject({ errorType: 'agentExited' });
    expect(childRegistry.running.size).toBe(0);
  });

  it('that exits leaves none of its child processes', async () => {
    const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
    const turn = chat.prompt(steps({ spawn: ['sleep', '60'] }));
    await turn.done;
    const pid = Number(turn.output.text);
    expect(await isRunning(pid)).toBe(true);
    await chat.prompt(steps({ exit: 0 })).done.catch(() => undefined);
    await eventually(async () => expect(await isRunning(pid)).toBe(false));
  });

  it('that is no agent is reported with its output', async () => {
    const provider = createAcpProvider(
      { id: 'x', displayName: 'X', command: '/bin/sh', args: ['-c', 'echo usage: x >&2; exit 2'] },
      { childRegistry: new RunningChildren() },
    );
    await expect(openChat(provider, { workingDirectory: temporaryFolder() })).rejects.toMatchObject({
      errorType: 'agentExited',
      message: expect.stringMatching(/exit code 2.*usage: x/s),
    });
    await provider.dispose();
  });

  it('whose command does not exist is unavailable, and the error names it', async () => {
    const provider = createAcpProvider(
      { id: 'x', displayName: 'X', command: 'no-such-agent' },
      { childRegistry: new RunningChildren() },
    );
    expect(provider.isInstalled()).toBe(false);
    expect(await provider.availability()).toEqual({
      available: false,
      reason: expect.stringContaining('no-such-agent'),
    });
    await expect(openChat(provider, { workingDirectory: temporaryFolder() })).rejects.toMatchObject({
      message: expect.stringContaining('no-such-agent'),
    });
  });

  it('is never started from a working directory', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/agent'), '#!/bin/sh\n');
    chmodSync(join(folder, 'bin/agent'), 0o755);
    const before = process.cwd();
    process.chdir(folder);
    try {
      for (const [command, PATH] of [
        ['./bin/agent', '/usr/bin'],
        ['bin/agent', '/usr/bin'],
        ['bin/agent', folder],
        ['agent', 'bin:.:'],
      ] as const) {
        const provider = createAcpProvider(
          { id: 'x', displayName: 'X', command },
          { childRegistry: new RunningChildren(), environment: { PATH } },
        );
        expect(provider.isInstalled(), command).toBe(false);
      }
    } finally {
      process.chdir(before);
    }
  });

  it('has a version without a start: from its package, else from --version', async () => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ version: '1.2.3', bin: { agent: 'agent' } }),
    );
    writeFileSync(join(folder, 'agent'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const other = temporaryFolder();
    writeFileSync(join(other, 'agent'), '#!/bin/sh\necho agent version 4.5.6-beta\n', { mode: 0o755 });
    for (const [path, version] of [
      [folder, '1.2.3'],
      [other, '4.5.6-beta'],
    ] as const) {
      const provider = createAcpProvider(
        { id: 'x', displayName: 'X', command: 'agent', args: ['--acp'] },
        { childRegistry: new RunningChildren(), environment: { PATH: path } },
      );
      expect(await provider.availability()).toEqual({
        available: true,
        version,
        source: `${join(path, 'agent')} --acp`,
      });
    }
  });

  it('has its new version after it was replaced', async () => {
    const folder = temporaryFolder();
    const write = (version: string): void =>
      writeFileSync(join(folder, 'agent'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
    write('1.0.0');
    const provider = createAcpProvider(
      { id: 'x', displayName: 'X', command: 'agent', signIn: 'agent login' },
      { childRegistry: new RunningChildren(), environment: { PATH: folder } },
    );
    expect(await provider.availability()).toMatchObject({ version: '1.0.0', signIn: 'agent login' });
    write('1.0.0-second');
    expect(await provider.availability()).toMatchObject({ version: '1.0.0-second' });
  });

  it('that requires a login explains how, also until a session could be opened', async () => {
    const provider = scriptedAgent(
      { errors: { 'session/new': { code: -32000, message: 'Authentication required' } } },
      { loginHint: 'run `test login`' },
    );
    expect(await provider.availability()).not.toHaveProperty('failure');
    await expect(openChat(provider, { workingDirectory: temporaryFolder() })).rejects.toMatchObject({
      errorType: 'authRequired',
      message: 'Test agent needs you to log in: run `test login` (its message: Authentication required)',
    });
    expect(await provider.availability()).toMatchObject({
      available: true,
      failure: expect.stringContaining('run `test login`'),
    });
  });

  it('does nothing before it is recorded, and is the recorded process', async () => {
    const folder = temporaryFolder();
    const recorded = Promise.withResolvers<void>();
    const pids: number[] = [];
    const provider = createAcpProvider(
      {
        id: 'x',
        displayName: 'X',
        command: '/bin/sh',
        args: ['-c', `trap '' TERM; echo $$ > ${folder}/began; exec sleep 30`],
      },
      {
        childRegistry: {
          record: ({ pid }) => {
            pids.push(pid);
            return recorded.promise;
          },
          forget: () => undefined,
        },
        killGraceMs: 100,
      },
    );
    const failed = rejection(openChat(provider, { workingDirectory: folder }));
    await eventually(() => expect(pids).toHaveLength(1));
    const [pid = 0] = pids;
    const before = await processStartTime(pid);
    expect(existsSync(join(folder, 'began'))).toBe(false);
    recorded.resolve();
    await eventually(() => expect(readFileSync(join(folder, 'began'), 'utf8')).toBe(`${pid}\n`));
    expect(await processStartTime(pid)).toBe(before);
    await provider.dispose();
    expect(await failed).toMatchObject({ errorType: 'agentExited' });
  });

  it('that cannot be recorded does not run', async () => {
    const pids: number[] = [];
    const provider = nodeAgent(
      './acp-scripted-agent.ts',
      ['{}'],
      {},
      {
        childRegistry: {
          record: ({ pid }) => {
            pids.push(pid);
            return Promise.reject(new Error('disk full'));
          },
          forget: () => {},
        },
      },
    );
    await expect(openChat(provider, { workingDirectory: temporaryFolder() })).rejects.toMatchObject({
      errorType: 'hostError',
    });
    expect(await isRunning(pids[0] ?? 0)).toBe(false);
  });
});

describe('cancel', () => {
  it('notifies the agent and waits for its answer', async () => {
    const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
    const turn = chat.prompt(steps({ say: 'on it' }, { waitForCancel: { stopReason: 'cancelled' } }));
    await turn.output.until(() => turn.output.text === 'on it');
    turn.controller.abort();
    await turn.done;
    // The session continues.
    const next = chat.prompt('hi');
    await next.done;
    expect(next.output.text).toBe('You said: hi');
  });

  it('before the prompt is sent sends no prompt', async () => {
    const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
    const turn = chat.prompt('never');
    turn.controller.abort();
    await turn.done;
    const next = chat.prompt(steps({ sayCalls: 'session/prompt' }));
    await next.done;
    expect(JSON.parse(next.output.text)).toHaveLength(1);
  });

  it('a turn that starts while the previous turn ends waits for that end', async () => {
    const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
    const first = chat.prompt(steps({ say: 'on it' }, { waitForCancel: { stopReason: 'cancelled' } }));
    await first.output.until(() => first.output.text === 'on it');
    first.controller.abort();
    const second = chat.prompt('hi');
    await Promise.all([first.done, second.done]);
    expect(second.output.text).toBe('You said: hi');
  });

  it('an agent that does not stop is terminated, and other chats of its process get the reason', async () => {
    const childRegistry = new RunningChildren();
    const provider = scriptedAgent({}, {}, { childRegistry });
    const workingDirectory = temporaryFolder();
    const stuck = await openChat(provider, { workingDirectory });
    const other = await openChat(provider, { workingDirectory });
    const stuckTurn = stuck.prompt(steps({ say: 'stuck' }, { waitForCancel: 'never' }));
    const otherTurn = other.prompt(steps({ say: 'busy' }, { waitForCancel: 'never' }));
    await stuckTurn.output.until(() => stuckTurn.output.text === 'stuck');
    await otherTurn.output.until(() => otherTurn.output.text === 'busy');
    const otherEnd = rejection(otherTurn.done);
    stuckTurn.controller.abort();
    await stuck.session.terminate();
    await stuckTurn.done;
    expect(await otherEnd).toMatchObject({
      errorType: 'agentExited',
      message: expect.stringContaining('a cancelled turn on it did not end'),
    });
    expect(childRegistry.running.size).toBe(0);
    // The other chat continues with another process.
    const next = other.prompt('hi');
    await next.done;
    expect(next.output.text).toBe('You said: hi');
  });
});
