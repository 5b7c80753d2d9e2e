// The flows of the guide on terminals from end to end: a real host, real ptys, an agent, and two clients over WebSockets.
import { errorOf, hasExited } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agree } from '../agree.ts';
import { isAlive } from '../kill/processes.ts';
import { quickly, resultOf, Stage, seen, shownTerminal, shows, textOf } from './stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open();
});

afterAll(() => stage.close());

/** Prints its port, and answers every request with its number. */
const server = `node -e '
  let count = 0;
  require("http").createServer((_, response) => response.end(String(++count)))
    .listen(0, "127.0.0.1", function () { console.log("port " + this.address().port); });
  process.stdin.on("data", (line) => console.log("told " + String(line).trim()));
'`.replaceAll('\n', ' ');

const background = (session: string) => ({ kind: 'session', session, chat: expect.any(String) });

const portIn = (output: string): number => Number(/port (\d+)/.exec(output)?.[1]);

const fetchText = async (port: number): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } })).text();

describe('agent runs a command', () => {
  it('[TERM-5] claims a terminal for the call, shows it to all clients, and shows the result at the end', async () => {
    const { asking, watching } = await stage.session();
    const prompt = asking.prompt(quickly('run echo ready; read line; echo "got $line"; exit 3'));
    const terminal = await shownTerminal(stage.watching, watching, prompt);
    await shows(terminal, 'ready');
    expect(terminal.state.claim).toEqual({
      ...background(asking.uri),
      turnId: prompt.turnId,
      toolCallId: expect.any(String),
    });
    // Any client may type while the session holds the terminal.
    expect(await terminal.input('hello\r')).toMatchObject({ outcome: 'accepted' });
    const turn = await prompt.result;
    expect(turn.state).toBe('complete');
    expect(resultOf(turn)).toMatchObject({
      success: false,
      content: [
        {
          type: 'terminal',
          resource: terminal.uri,
          result: { exitCode: 3, preview: expect.stringMatching(/^ready\n(hello\n)?got hello\n$/) },
        },
      ],
    });
    await stage.settle();
    expect(await terminal.exited).toBe(3);
    expect(terminal.state.claim).toEqual(background(asking.uri));
    await agree(watching.chat.mirror, asking.chat.mirror);
  });

  it('[CHAT-5] ends the command when a client cancels', async () => {
    const { asking, watching } = await stage.session();
    const prompt = asking.prompt(quickly('run echo "pid $$"; exec sleep 600'));
    const terminal = await shownTerminal(stage.watching, watching, prompt);
    const pid = Number(/pid (\d+)/.exec(await shows(terminal, /pid \d+/))?.[1]);
    expect(isAlive(pid)).toBe(true);
    await watching.cancel();
    expect((await prompt.result).state).toBe('cancelled');
    expect(await terminal.exited).toBeGreaterThan(128);
    expect(isAlive(pid)).toBe(false);
  });

  it('[TERM-5] with an agent that speaks the Agent Client Protocol', async () => {
    const { asking, watching } = await stage.session('scripted');
    const ask = (method: string, params: object = { terminalId: 'terminal-1' }) => ({
      ask: { method: `terminal/${method}`, params },
    });
    const call = (sessionUpdate: string, fields: object) => ({
      update: { sessionUpdate, toolCallId: 't', ...fields },
    });
    const steps = [
      ask('create', {
        command: 'read line; seq 1 2000; echo "$line $FLAG"',
        env: [{ name: 'FLAG', value: 'up' }],
      }),
      call('tool_call', {
        title: 'Count',
        kind: 'execute',
        status: 'in_progress',
        content: [{ type: 'terminal', terminalId: 'terminal-1' }],
      }),
      ask('wait_for_exit'),
      { sayAnswer: true },
      ask('output'),
      ask('release'),
      call('tool_call_update', { status: 'completed' }),
    ];
    const prompt = asking.prompt(JSON.stringify(steps));
    const terminal = await shownTerminal(stage.watching, watching, prompt);
    expect(terminal.state.claim).toMatchObject({ turnId: prompt.turnId, toolCallId: 't' });
    await terminal.input('flag is\r');
    const turn = await prompt.result;
    expect(turn.state, errorOf(turn)?.message).toBe('complete');
    expect(JSON.parse(textOf(turn))).toEqual({ exitCode: 0, signal: null });
    const { content } = resultOf(turn);
    expect(content).toMatchObject([{ type: 'terminal', result: { exitCode: 0, truncated: false } }]);
    expect(content[0]).toMatchObject({
      result: { preview: expect.stringMatching(/\n1\n2\n[^]*\n2000\nflag is up\n$/) },
    });
    await stage.settle();
    const list = await stage.watching.terminals();
    expect(list.items.map(({ resource }) => resource)).not.toContain(terminal.uri);
    list.dispose();
  });
});

describe('agent starts a background server', () => {
  it('[TERM-5] [TERM-6] keeps running with the session as its holder, and ends with the session', async () => {
    const { asking, watching } = await stage.session();
    const prompt = asking.prompt(quickly(`serve ${server}`));
    const terminal = await shownTerminal(stage.watching, watching, prompt);
    expect((await prompt.result).state).toBe('complete');
    const port = portIn(await shows(terminal, /port \d+\r?\n/));
    await seen(terminal.mirror, ({ claim }) =>
      claim.kind === 'session' && claim.turnId === undefined ? claim : undefined,
    );
    expect(terminal.state.claim).toEqual(background(asking.uri));
    expect(await fetchText(port)).toBe('1');

    await stage.asking.sessions.dispose(asking.uri);
    await expect(terminal.exited).rejects.toMatchObject({ name: 'ChannelLost' });
    await expect.poll(() => fetchText(port).catch(() => 'gone')).toBe('gone');
  });
});

describe('client detaches a terminal', () => {
  it('[TERM-5] lets the agent go on while the command runs', async () => {
    const { asking, watching } = await stage.session();
    const prompt = asking.prompt(quickly('run echo started; read line; echo "then $line"\nsay Moving on.'));
    const terminal = await shownTerminal(stage.watching, watching, prompt);
    await shows(terminal, 'started');
    expect(await terminal.narrow()).toMatchObject({ outcome: 'accepted' });
    const turn = await prompt.result;
    expect(turn.state).toBe('complete');
    expect(textOf(turn)).toContain('was sent to the background');
    expect(textOf(turn)).toMatch(/Moving on\.$/);
    expect(resultOf(turn).content).toMatchObject([
      { type: 'terminal', resource: terminal.uri },
      { type: 'text', text: 'started\n' },
    ]);
    expect(terminal.state.claim).toEqual(background(asking.uri));
    expect(hasExited(terminal.state)).toBe(false);
    await terminal.input('on\r');
    await shows(terminal, 'then on');
    expect(await terminal.exited).toBe(0);
  });
});

describe('client interacts directly', () => {
  it('[TERM-5] with a shell of its own, which others watch and cannot type into', async () => {
    const mine = await stage.asking.createTerminal({ name: 'mine' });
    const theirs = await stage.watching.terminal(mine.uri);
    await mine.input('echo $((6 * 7))\r');
    await Promise.all([shows(mine, /\b42\b/), shows(theirs, /\b42\b/)]);
    expect(await theirs.input('exit\r')).toMatchObject({ outcome: 'rejected' });
    expect(await theirs.claim('me')).toMatchObject({ outcome: 'rejected' });
    await mine.input('exit 7\r');
    expect(await theirs.exited).toBe(7);
    await mine.dispose();
  });

  it('[TERM-5] with an agent’s terminal, which it takes and gives back', async () => {
    const { asking, watching } = await stage.session();
    const prompt = asking.prompt(quickly('run read -p "name? " name; echo "hello $name"'));
    const terminal = await shownTerminal(stage.watching, watching, prompt);
    const agents = { ...terminal.state.claim };
    await shows(terminal, 'name?');
    expect(await terminal.claim('me')).toMatchObject({ outcome: 'accepted' });
    const other = await stage.asking.terminal(terminal.uri);
    expect(await other.input('nobody\r')).toMatchObject({ outcome: 'rejected' });
    expect(agents).toMatchObject({ turnId: prompt.turnId });
    await terminal.input('world\r');
    const turn = await prompt.result;
    expect(turn.state).toBe('complete');
    expect(resultOf(turn)).toMatchObject({
      success: true,
      content: [
        { type: 'terminal', result: { exitCode: 0, preview: expect.stringContaining('hello world\n') } },
      ],
    });
    // The end of the turn does not change the claim of the client.
    await stage.settle();
    expect(terminal.holder).toEqual({ kind: 'me' });
    expect(await terminal.claim({ session: asking.uri, chat: asking.chat.mirror.uri })).toMatchObject({
      outcome: 'accepted',
    });
    await stage.settle();
    expect(other.state.claim).toEqual(background(asking.uri));
    other.close();
  });
});

describe('session reclaims a background terminal', () => {
  it('[TERM-5] for as long as a later turn uses it, to type and to read its output', async () => {
    const { asking, watching } = await stage.session();
    const started = asking.prompt(quickly(`serve ${server}`));
    const terminal = await shownTerminal(stage.watching, watching, started);
    await started.result;
    await shows(terminal, /port \d+/);
    const claims: unknown[] = [];
    const stop = terminal.mirror.onAction(({ action }) => {
      if (action.type === 'terminal/claimed') claims.push(action.claim);
    });
    const typed = asking.prompt(quickly('type reload'));
    await typed.result;
    await shows(terminal, 'told reload');
    const read = asking.prompt(quickly('peek'));
    const turn = await read.result;
    expect(textOf(turn)).toContain('told reload');
    expect(textOf(turn)).toContain('It is still running.');
    await stage.settle();
    stop();
    const { uri } = asking;
    expect(claims).toEqual([
      { ...background(uri), turnId: typed.turnId, toolCallId: expect.any(String) },
      background(uri),
      { ...background(uri), turnId: read.turnId, toolCallId: expect.any(String) },
      background(uri),
    ]);
    const killed = await asking.prompt(quickly('kill')).result;
    expect(textOf(killed)).toMatch(/has ended with exit code \d+/);
    await stage.asking.sessions.dispose(uri);
  });
});

describe('terminal cleanup', () => {
  it('[TERM-1] happens when a client asks for it, for processes and catalogue', async () => {
    const terminal = await stage.asking.createTerminal({
      command: ['/bin/sh', '-c', 'echo "pid $$"; sleep 600'],
    });
    const pid = Number(/pid (\d+)/.exec(await shows(terminal, /pid \d+/))?.[1]);
    const list = await stage.watching.terminals();
    expect(list.items.map(({ resource }) => resource)).toContain(terminal.uri);
    await terminal.dispose();
    await stage.settle();
    expect(list.items.map(({ resource }) => resource)).not.toContain(terminal.uri);
    list.dispose();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('[TERM-6] happens to terminals that an ended session holds, and spares those that a client has claimed', async () => {
    const { asking, watching } = await stage.session();
    const first = asking.prompt(quickly('serve echo one; sleep 600'));
    const left = await shownTerminal(stage.watching, watching, first);
    await first.result;
    const second = asking.prompt(quickly('serve echo two; cat'));
    const taken = await shownTerminal(stage.watching, watching, second);
    await second.result;
    await taken.claim('me');
    await stage.asking.sessions.dispose(asking.uri);
    await expect(left.exited).rejects.toMatchObject({ name: 'ChannelLost' });
    await taken.input('still here\r');
    await shows(taken, 'still here');
    await taken.dispose();
  });
});

describe('a command typed into a chat', () => {
  it('[CHAT-17] is advertised, runs in the chat’s folder without the agent, and the agent gets it with the next turn', async () => {
    expect(stage.asking.host?.terminalCommandPrefix).toBe('!');
    const { asking, watching } = await stage.session();
    const prompt = asking.prompt('!pwd; printf "\\033[31m%s\\033[0m\\n" "$((40 + 2))"; exit 3');
    const terminal = await shownTerminal(stage.watching, watching, prompt);
    const turn = await prompt.result;
    expect(turn.state).toBe('complete');
    expect(resultOf(turn)).toMatchObject({
      success: false,
      content: [
        {
          type: 'terminal',
          resource: terminal.uri,
          result: { exitCode: 3, preview: `${stage.folder}\n42\n`, truncated: false },
        },
      ],
    });
    expect(turn.responseParts).toHaveLength(1);
    const next = await asking.prompt(quickly('say Seen.')).result;
    expect(textOf(next, 'reasoning')).toContain(`Outcome: exit code 3\nOutput:\n${stage.folder}\n42`);
    const after = await asking.prompt(quickly('say Nothing new.')).result;
    expect(textOf(after, 'reasoning')).toBe('');
  });

  it('[CHAT-17] [TERM-5] is ended by a cancel, and goes on when it is sent to the background', async () => {
    const { asking, watching } = await stage.session();
    const cancelled = asking.prompt('!echo "pid $$"; exec sleep 600');
    const first = await shownTerminal(stage.watching, watching, cancelled);
    const pid = Number(/pid (\d+)/.exec(await shows(first, /pid \d+/))?.[1]);
    await watching.cancel();
    expect((await cancelled.result).state).toBe('cancelled');
    expect(await first.exited).toBeGreaterThan(128);
    expect(isAlive(pid)).toBe(false);

    const detached = asking.prompt('!echo on; cat');
    const second = await shownTerminal(stage.watching, watching, detached);
    await shows(second, 'on');
    await second.narrow();
    expect((await detached.result).state).toBe('complete');
    await second.input('and on\r');
    await shows(second, /and on\r?\n[^]*and on/);
    await second.dispose();
  });
});
