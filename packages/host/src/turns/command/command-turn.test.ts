import type { ToolCallState, Turn } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { type HostFixture, SESSION, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';
import { withTurns } from '../../sync/window.ts';

const start = (turnId: string, text: string) => ({
  type: 'chat/turnStarted',
  startedAt: '2026-06-01T00:00:00.000Z',
  turnId,
  message: { text, origin: { kind: 'user' } },
});

interface Scene {
  readonly host: HostFixture;
  readonly client: RawClient;
  readonly chat: string;
  /** Sends a message and runs what follows from it. */
  say(turnId: string, text: string): Promise<void>;
  /** Runs a command to its end. */
  command(turnId: string, text: string, output: string, exitCode?: number): Promise<void>;
  turns(): Promise<readonly Turn[]>;
}

async function scene(host: HostFixture, client: RawClient, chat: string): Promise<Scene> {
  const say = async (turnId: string, text: string): Promise<void> => {
    await client.act(chat, start(turnId, text));
    await host.run();
  };
  return {
    host,
    client,
    chat,
    say,
    command: async (turnId, text, output, exitCode = 0) => {
      await say(turnId, text);
      host.ptys.last.output(output);
      host.ptys.last.end(exitCode);
      await host.run();
    },
    turns: async () => {
      const { state } = await client.subscribe(chat);
      return 'turns' in state ? state.turns : [];
    },
  };
}

async function setUp(): Promise<Scene> {
  const host = await startHost();
  const client = await host.client();
  const { chat } = await host.session(client);
  return scene(host, client, chat);
}

function callOf(turn: Turn | undefined): ToolCallState {
  const part = turn?.responseParts[0];
  if (part?.kind !== 'toolCall') throw new Error(`no tool call in ${JSON.stringify(turn)}`);
  return part.toolCall;
}

const terminalOf = (client: RawClient, chat: string): string => {
  for (const { action } of client.envelopes(chat)) {
    if (action.type !== 'chat/toolCallContentChanged') continue;
    const [block] = action.content;
    if (block?.type === 'terminal') return block.resource;
  }
  throw new Error('no terminal was shown');
};

describe('[CHAT-17] a message that starts with !', () => {
  it('[CHAT-17] runs in the working directory without the agent, shows as a call with a terminal, and completes', async () => {
    const { host, client, chat, say, turns } = await setUp();
    await say('a', '!git status; ls');
    const { spec } = host.ptys.last;
    expect(spec.command.slice(1)).toEqual(['-c', 'git status; ls']);
    expect(spec.cwd).toBe(process.cwd());
    const terminal = terminalOf(client, chat);
    const { state } = await client.subscribe(terminal);
    expect(state).toMatchObject({
      claim: { kind: 'session', session: SESSION, chat, turnId: 'a', toolCallId: expect.any(String) },
    });

    host.ptys.last.output('\u001b[32mclean\u001b[0m\r\n');
    host.ptys.last.end(0);
    await host.run();
    const [turn] = await turns();
    expect(turn).toMatchObject({ state: 'complete' });
    expect(callOf(turn)).toMatchObject({
      toolName: 'terminal',
      status: 'completed',
      confirmed: 'not-needed',
      toolInput: 'git status; ls',
      success: true,
      content: [
        {
          type: 'terminal',
          resource: terminal,
          result: { exitCode: 0, preview: 'clean\n', truncated: false },
        },
      ],
    });
    expect(host.agent.turns).toEqual([]);
    expect(client.envelopes(terminal).at(-1)?.action).toMatchObject({
      type: 'terminal/claimed',
      claim: { kind: 'session', session: SESSION, chat },
    });
  });

  it('[CHAT-17] is offered to clients in the handshake', async () => {
    const { host } = await setUp();
    expect(await host.connect('late').initialize()).toMatchObject({ terminalCommandPrefix: '!' });
  });

  it('[CHAT-17] that fails is a failed call in a complete turn', async () => {
    const { command, turns } = await setUp();
    await command('a', '!make', 'no rule\r\n', 2);
    const [turn] = await turns();
    expect(turn?.state).toBe('complete');
    expect(callOf(turn)).toMatchObject({ success: false, error: { message: 'exit code 2' } });
  });

  it('[CHAT-17] that cannot be started ends the turn with the reason', async () => {
    const { host, say, turns } = await setUp();
    host.ptys.failNextSpawn('no ptys left');
    await say('a', '!ls');
    expect((await turns())[0]).toMatchObject({
      state: 'error',
    });
    expect((await turns())[0]?.responseParts.at(-1)).toMatchObject({
      error: { errorType: 'hostError', message: expect.stringContaining('no ptys left') },
    });
  });

  it('[CHAT-17] ends the turn when its terminal cannot be journaled', async () => {
    const { host, say, turns } = await setUp();
    host.journal.gates.beforeCommit = (writes) => {
      if (!writes.some((write) => write.op === 'channel' && write.kind === 'terminal')) return;
      host.journal.gates.beforeCommit = undefined;
      host.journal.failNextCommits(1);
    };
    await say('a', '!sleep 9');
    await host.advance(2_000);
    const [turn] = await turns();
    expect(turn?.responseParts.at(-1)).toMatchObject({ kind: 'error', error: { errorType: 'hostError' } });
    expect(host.ptys.last.hasEnded).toBe(true);
  });

  it('[CHAT-17] is ended when its turn is cancelled', async () => {
    const { host, client, chat, say, turns } = await setUp();
    await say('a', '!sleep 1000');
    await client.act(chat, { type: 'chat/turnCancelled', turnId: 'a', duration: 0 });
    await host.run();
    expect([host.ptys.last.killCount, host.ptys.last.hasEnded]).toEqual([1, true]);
    expect((await turns())[0]?.state).toBe('cancelled');
  });

  it('[CHAT-17] [TERM-5] keeps running when a person sends its terminal to the background, and the turn completes', async () => {
    const { host, client, chat, say, turns } = await setUp();
    await say('a', '!npm run dev');
    host.ptys.last.output('listening\r\n');
    await host.run();
    const terminal = terminalOf(client, chat);
    await client.subscribe(terminal);
    await client.act(terminal, {
      type: 'terminal/claimed',
      claim: { kind: 'session', session: SESSION, chat },
    });
    await host.run();
    const [turn] = await turns();
    expect(turn?.state).toBe('complete');
    expect(callOf(turn)).toMatchObject({
      success: true,
      content: [
        { type: 'terminal', resource: terminal },
        { type: 'text', text: 'listening\n' },
      ],
    });
    expect(host.ptys.last.hasEnded).toBe(false);
    // The turn no longer follows its output.
    host.ptys.last.output('later\r\n');
    await host.run();
    expect(client.envelopes(terminal).at(-1)?.action).toEqual({ type: 'terminal/data', data: 'later\r\n' });
  });

  it('[CHAT-17] without a command fails with a reason, and runs nothing', async () => {
    const { host, say, turns } = await setUp();
    await say('a', '!  ');
    const [turn] = await turns();
    expect(turn?.state).toBe('complete');
    expect(turn?.responseParts).toMatchObject([
      { kind: 'systemNotification', content: expect.stringContaining('command is empty') },
    ]);
    expect([host.ptys.ptys.length, host.agent.turns.length]).toEqual([0, 0]);
  });

  it.each([
    [' !ls', ' !ls'],
    ['\\!ls', '!ls'],
    ['\\ ls', '\\ ls'],
    ['ls!', 'ls!'],
  ])('[CHAT-17] goes to the agent when it is written "%s", which reads "%s"', async (written, read) => {
    const { host, say } = await setUp();
    await say('a', written);
    expect(host.agent.turn.input.message.text).toBe(read);
    expect(host.ptys.ptys).toEqual([]);
  });

  it('[CHAT-17] [CHAT-12] waits in the queue like any message, and the next message follows it', async () => {
    const { host, client, chat, say } = await setUp();
    await say('a', 'hello');
    for (const [id, text] of [
      ['q1', '!ls'],
      ['q2', 'and now?'],
    ]) {
      await client.act(chat, {
        type: 'chat/pendingMessageSet',
        kind: 'queued',
        id,
        message: { text, origin: { kind: 'user' } },
      });
    }
    host.agent.turn.complete();
    await host.run();
    expect(host.agent.turns).toHaveLength(1);
    host.ptys.last.end(0);
    await host.run();
    expect(host.agent.turn.input.message.text).toBe('and now?');
  });

  it('[CHAT-17] goes on when the agent dies meanwhile', async () => {
    const { host, say, turns } = await setUp();
    await say('a', '!sleep 5');
    host.agent.opened[0]?.host.exited('killed');
    await host.run();
    host.ptys.last.end(0);
    await host.run();
    expect((await turns())[0]?.state).toBe('complete');
  });

  it('[CHAT-17] is not ended by a stop of the host, which its terminal may outlive', async () => {
    const { host, say } = await setUp();
    await say('a', '!make all');
    const { last } = host.ptys;
    await host.stop();
    expect(last.killCount).toBe(0);
  });

  it('[CHAT-17] [SESS-3] is ended with its chat', async () => {
    const { host, client, say } = await setUp();
    await say('a', '!make all');
    await client.request('disposeSession', { channel: SESSION });
    await host.run();
    expect(host.ptys.last.hasEnded).toBe(true);
  });

  it('[CHAT-17] runs when the session is ready if it was sent during the creation', async () => {
    const host = await startHost();
    const client = await host.client();
    const ready = Promise.withResolvers<void>();
    host.agent.opening = ready.promise;
    await client.request('createSession', { channel: SESSION });
    const { state } = await client.subscribe(SESSION);
    const chat = 'defaultChat' in state ? (state.defaultChat ?? '') : '';
    await client.act(chat, start('a', '!ls'));
    await host.run();
    expect(host.ptys.ptys).toEqual([]);
    ready.resolve();
    await host.run();
    expect(host.ptys.last.spec.command).toContain('ls');
  });

  it('[CHAT-17] keeps the terminals of the last eight ended commands', async () => {
    const { host, client, command } = await setUp();
    for (let index = 0; index < 10; index += 1) await command(`t${index}`, '!ls', 'x');
    const { state } = await client.subscribe('ahp-root://');
    expect('terminals' in state ? state.terminals?.length : undefined).toBe(8);
    expect(host.logged).toEqual([]);
  });
});

describe('[CHAT-17] the agent', () => {
  it('[CHAT-17] gets the commands since its last turn with its next turn, and only with that', async () => {
    const { host, say, command } = await setUp();
    await command('a', '!git status', '\u001b[31mdirty\u001b[0m\r\n', 1);
    await command('b', '!true', '');
    await say('c', 'what now?');
    const { context, message } = host.agent.turn.input;
    expect(message.text).toBe('what now?');
    expect(context).toHaveLength(2);
    expect(context[0]).toMatch(/Command: git status\nOutcome: exit code 1\nOutput:\ndirty$/);
    expect(context[1]).toMatch(/Command: true\nOutcome: exit code 0\nOutput: none$/);
    await host.agent.turn.output.markdown('Well.');
    host.agent.turn.complete();
    await host.run();
    await say('d', 'and now?');
    expect(host.agent.turn.input.context).toEqual([]);
  });

  it('[CHAT-17] gets them again when the turn with them never reached it', async () => {
    const { host, say, command, turns } = await setUp();
    await command('a', '!ls', 'files');
    await say('b', 'look');
    host.agent.turn.fail(new Error('no network'));
    await host.run();
    expect((await turns())[1]?.state).toBe('error');
    await say('c', 'look again');
    expect(host.agent.turn.input.context).toEqual([expect.stringContaining('Command: ls')]);
  });

  it('[CHAT-17] gets ended and running commands after a restart too', async () => {
    const { host, client, chat, say, command } = await setUp();
    await command('a', '!ls', 'files');
    await say('b', '!sleep 1000');
    await host.restart();
    const again = await host.client(client.clientId);
    await again.subscribe(chat);
    const after = await scene(host, again, chat);
    await after.say('c', 'what happened?');
    const { context } = host.agent.turn.input;
    expect(context.map((text) => text.split('\n').slice(1, 3))).toEqual([
      ['Command: ls', 'Outcome: exit code 0'],
      ['Command: sleep 1000', 'Outcome: ended early; its output was not kept'],
    ]);
  });

  it('[CHAT-17] gets a command even if memory holds only later turns', async () => {
    const { host, chat, say, command } = await setUp();
    await command('a', '!first', 'one');
    const { sync } = host.host.core;
    const loaded = sync.registry.getOf('chat', chat);
    if (loaded === undefined) throw new Error('the chat is not in memory');
    // As when the windows of all chats together are too large.
    sync.transact('host', (tx) => tx.setWindow(loaded, withTurns(loaded.state, [], 1)));
    await host.run();
    await command('b', '!second', 'two');
    await say('c', 'go');
    expect(host.agent.turn.input.context).toEqual([
      expect.stringContaining('Command: first'),
      expect.stringContaining('Command: second'),
    ]);
  });

  it('[CHAT-17] gets the end of long output, at most 16 KiB, and at most sixteen commands', async () => {
    const { host, say, command } = await setUp();
    for (let index = 0; index < 17; index += 1) await command(`t${index}`, `!echo ${index}`, 'x');
    await command('long', '!seq 100000', `${'0123456789\r\n'.repeat(10_000)}last\r\n`);
    await say('c', 'well?');
    const { context } = host.agent.turn.input;
    expect(context).toHaveLength(16);
    const told = context.at(-1) ?? '';
    expect(told).toContain('Output (the end of it):');
    expect(told).toMatch(/last$/);
    expect(Buffer.byteLength(told)).toBeLessThan(16 * 1024 + 300);
  });

  it('[CHAT-17] that is opened again finds commands in the history', async () => {
    const { host, client, chat, command } = await setUp();
    await command('a', '!ls', 'files');
    await host.restart();
    const again = await host.client(client.clientId);
    await again.subscribe(chat);
    const after = await scene(host, again, chat);
    await after.say('b', 'hello');
    const history = await host.agent.opened.at(-1)?.history();
    expect(history?.map(({ message }) => message.text)).toEqual(['!ls']);
  });
});
