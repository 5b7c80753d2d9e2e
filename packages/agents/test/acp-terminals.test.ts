import { type OpenChat, openChat, type RecordingTerminal } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { scriptedAgent, steps, temporaryFolder, toolCall } from './acp-chats.ts';
import type { Step } from './acp-scripted-agent.ts';

const ask = (method: string, params: object = {}): Step => ({
  ask: { method: `terminal/${method}`, params: { terminalId: 'terminal-1', ...params } },
});
const create = (params: object = {}): Step => ask('create', { command: 'npm test', ...params });
const running = (terminalId = 'terminal-1'): Step =>
  toolCall('t', {
    title: 'npm test',
    kind: 'execute',
    status: 'in_progress',
    content: [{ type: 'terminal', terminalId }],
  });
const ended = (fields: object = {}): Step =>
  toolCall('t', { status: 'completed', ...fields }, 'tool_call_update');

async function open(play: (terminal: RecordingTerminal) => void = () => {}): Promise<OpenChat> {
  const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
  chat.host.onTerminal = play;
  return chat;
}

/** Prints and exits at once. */
const prints =
  (text: string, exitCode = 0) =>
  (terminal: RecordingTerminal): void => {
    terminal.print(text);
    terminal.exit(exitCode);
  };

/** The answers to the agent's requests, in order. */
async function answers(play: (terminal: RecordingTerminal) => void, ...list: Step[]): Promise<unknown[]> {
  const chat = await open(play);
  const turn = chat.prompt(
    steps(...list.flatMap((step) => [step, { sayAnswer: true } as const, { say: '\n' }])),
  );
  await turn.done;
  return turn.output.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

describe('terminals that an agent requests', () => {
  it('run a program with arguments or a shell command, with environment and folder', async () => {
    const chat = await open();
    await chat.prompt(
      steps(
        create({ command: 'npm', args: ['run', 'a b'], env: [{ name: 'CI', value: '1' }], cwd: '/tmp' }),
        create({ command: 'npm test && echo done' }),
      ),
    ).done;
    expect(chat.host.terminals.map(({ start }) => start)).toMatchObject([
      { command: ['npm', 'run', 'a b'], env: { CI: '1' }, cwd: '/tmp', use: { turnId: 'turn-1' } },
      { command: 'npm test && echo done', env: {}, use: { turnId: 'turn-1' } },
    ]);
  });

  it('show in the call that embeds them: live while the call runs, and their output at its end', async () => {
    const chat = await open(prints('\u001b[32mok\u001b[0m 1\r\n', 1));
    const turn = chat.prompt(steps(create(), running(), ask('wait_for_exit'), ended()));
    await turn.done;
    const [call] = turn.output.calls;
    expect(call?.contents).toEqual([[{ type: 'terminal', resource: 'ahp-terminal:/1', title: 'npm test' }]]);
    expect(call?.result?.content).toMatchObject([
      {
        type: 'terminal',
        resource: 'ahp-terminal:/1',
        result: { exitCode: 1, preview: 'ok 1\n', truncated: false },
      },
    ]);
    expect(chat.host.terminals[0]?.uses).toEqual([
      { turnId: 'turn-1' },
      { turnId: 'turn-1', toolCallId: 't' },
      undefined,
    ]);
    expect(turn.output.violations).toEqual([]);
  });

  it('keep their output visible after a release, also while the call runs', async () => {
    const chat = await open(prints('all of it\n'));
    const turn = chat.prompt(steps(create(), running(), ask('release'), ended({ content: [] })));
    await turn.done;
    const [call] = turn.output.calls;
    const result = { exitCode: 0, preview: 'all of it\n', truncated: false };
    const left = { type: 'terminal', resource: 'ahp-terminal:/1', result };
    expect(call?.contents.at(-1)).toMatchObject([left]);
    expect(call?.result?.content).toMatchObject([left]);
    expect(chat.host.terminals[0]?.releaseCount).toBe(1);
  });

  it('go to the background when they outlive their call', async () => {
    const chat = await open((terminal) => terminal.print('listening\n'));
    const turn = chat.prompt(steps(create(), running(), ended()));
    await turn.done;
    expect(turn.output.calls[0]?.result?.content).toMatchObject([
      { type: 'terminal', resource: 'ahp-terminal:/1' },
      { type: 'text', text: 'listening\n' },
    ]);
    expect(turn.output.calls[0]?.result?.content?.[0]).not.toHaveProperty('result');
    const [terminal] = chat.host.terminals;
    expect([terminal?.uses.at(-1), terminal?.killCount]).toEqual([undefined, 0]);
  });

  it('can be used again by a later turn', async () => {
    const chat = await open((terminal) => terminal.print('listening\n'));
    await chat.prompt(steps(create(), running(), ended())).done;
    const turn = chat.prompt(steps(running(), ask('output'), { sayAnswer: true }, ended()));
    await turn.done;
    expect(JSON.parse(turn.output.text)).toEqual({
      output: 'listening\n',
      truncated: false,
      exitStatus: null,
    });
    expect(chat.host.terminals[0]?.uses.slice(3)).toEqual([{ turnId: 'turn-2', toolCallId: 't' }, undefined]);
  });
});

describe('answers to an agent about its terminals', () => {
  it('output is plain text, cut at the front between characters to the limit, with the exit after the end', async () => {
    const play = prints('\u001b[1mé\u001b[0mééé', 0);
    expect(await answers(play, create({ outputByteLimit: 5 }), ask('output'))).toEqual([
      { terminalId: 'terminal-1' },
      { output: 'éé', truncated: true, exitStatus: { exitCode: 0, signal: null } },
    ]);
  });

  it('the exit of a process killed by a signal names the signal', async () => {
    expect(await answers(() => {}, create(), ask('kill'), ask('wait_for_exit'), ask('output'))).toEqual([
      { terminalId: 'terminal-1' },
      {},
      { exitCode: 143, signal: 'SIGTERM' },
      { output: '', truncated: false, exitStatus: { exitCode: 143, signal: 'SIGTERM' } },
    ]);
  });

  it('every request for an unknown or released terminal is an error', async () => {
    const list = [ask('output'), ask('wait_for_exit'), ask('kill'), ask('release')];
    const got = await answers(() => {}, ...list, create(), ask('release'), ...list);
    const errors = Array.from({ length: 4 }, () => expect.objectContaining({ code: -32002 }));
    expect(got).toEqual([...errors, { terminalId: 'terminal-1' }, {}, ...errors]);
  });

  it('an invalid terminal, or one that cannot be started, is an error with the reason', async () => {
    const refuse = (): never => {
      throw new Error('no such folder');
    };
    expect(await answers(refuse, create(), create({ cwd: 'here' }), create({ command: '' }))).toMatchObject([
      { code: -32603, message: expect.stringContaining('no such folder') },
      { code: -32602 },
      { code: -32602 },
    ]);
  });

  it('more than 64 at once are refused, and released ones do not count', async () => {
    const many = Array.from({ length: 64 }, () => create());
    const got = await answers(() => {}, ...many, create(), ask('release'), create());
    expect(got.slice(-3)).toMatchObject([{ code: -32603 }, {}, { terminalId: 'terminal-65' }]);
  });
});

describe('a user and an agent in one terminal', () => {
  it('[TERM-5] an agent whose terminal goes to the background is notified, and its release does not end the program', async () => {
    const chat = await open((terminal) => terminal.print('half\n'));
    const turn = chat.prompt(
      steps(
        create(),
        running(),
        ask('wait_for_exit'),
        { sayAnswer: true },
        ask('output'),
        { say: '\n' },
        { sayAnswer: true },
        ask('release'),
        ended(),
      ),
    );
    await turn.output.callIn('running');
    chat.host.terminals[0]?.detach();
    await turn.done;
    const [waited, output] = turn.output.text.split('\n').map((line) => JSON.parse(line) as unknown);
    expect(waited).toEqual({ exitCode: null, signal: null });
    expect(output).toMatchObject({ output: expect.stringMatching(/^half\n\n\[The user .* background/) });
    const [terminal] = chat.host.terminals;
    expect([terminal?.isRunning, terminal?.releaseCount]).toEqual([true, 1]);
    expect(turn.output.calls[0]?.result?.content).toMatchObject([
      { type: 'terminal', resource: 'ahp-terminal:/1' },
      { type: 'text', text: 'half\n' },
    ]);
  });

  it('[TERM-5] an agent takes a terminal from the background by showing it in another call', async () => {
    const chat = await open();
    const first = chat.prompt(steps(create(), running(), ask('wait_for_exit'), ended()));
    await first.output.callIn('running');
    chat.host.terminals[0]?.detach();
    await first.done;
    const again = chat.prompt(
      steps(
        running(),
        ask('output'),
        { sayAnswer: true },
        ask('wait_for_exit'),
        { sayAnswer: true },
        ask('release'),
        ended(),
      ),
    );
    await again.output.until(() => again.output.text.includes('output'));
    const [terminal] = chat.host.terminals;
    expect(terminal?.uses.at(-1)).toEqual({ turnId: 'turn-2', toolCallId: 't' });
    expect(again.output.text).not.toContain('background');
    terminal?.detach();
    await again.done;
    expect([terminal?.isRunning, terminal?.releaseCount]).toEqual([true, 1]);
    expect(again.output.text).toContain('"exitCode":null');
  });

  it('a cancelled turn notifies the agent, and ends its foreground terminals but not background ones', async () => {
    const chat = await open();
    await chat.prompt(steps(create(), running(), ended())).done;
    const turn = chat.prompt(
      steps(create(), running('terminal-2'), { waitForCancel: { stopReason: 'cancelled' } }),
    );
    await turn.output.callIn('running');
    turn.controller.abort();
    await turn.done;
    expect(chat.host.terminals.map(({ isRunning }) => isRunning)).toEqual([true, false]);
  });

  it('[TERM-6] the end of the agent session ends foreground terminals; background ones stay with the session', async () => {
    const chat = await open();
    await chat.prompt(steps(create(), running(), ended())).done;
    const turn = chat.prompt(steps(create(), running('terminal-2'), { waitForCancel: 'never' }));
    await turn.output.callIn('running');
    await chat.session.terminate();
    expect(chat.host.terminals.map(({ isRunning }) => isRunning)).toEqual([true, false]);
  });

  it('[TERM-6] the exit of an agent ends the foreground terminals of its turn', async () => {
    const chat = await open();
    const turn = chat.prompt(steps(create(), running(), { exit: 3 }));
    await expect(turn.done).rejects.toMatchObject({ errorType: 'agentExited' });
    expect(chat.host.terminals.map(({ isRunning }) => isRunning)).toEqual([false]);
  });
});

describe('context from user commands', () => {
  it('[CHAT-17] precedes the prompt', async () => {
    const chat = await open();
    const turn = chat.prompt(steps({ sayPrompt: true }), { context: ['They ran ls.', 'They ran pwd.'] });
    await turn.done;
    expect(JSON.parse(turn.output.text)).toEqual([
      { type: 'text', text: 'They ran ls.' },
      { type: 'text', text: 'They ran pwd.' },
    ]);
  });
});
