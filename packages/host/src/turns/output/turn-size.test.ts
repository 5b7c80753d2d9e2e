import { describe, expect, it } from 'vitest';
import { startHost } from '../../../test/host-fixture.ts';
import { MAX_TURN_LENGTH, MAX_TURN_PARTS, TurnSize } from './turn-size.ts';

const MIB = 1024 * 1024;

describe('a turn that grows without end', () => {
  it('[CHAT-5] ends with a reason, the agent is told to stop, and the next turn runs', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    const start = (turnId: string) => ({
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId,
      message: { text: 'go', origin: { kind: 'user' } },
    });
    await client.act(chat, start('a'));
    const { turn } = host.agent;
    for (let length = 0; length <= MAX_TURN_LENGTH && !turn.signal.aborted; length += MIB) {
      void turn.output.markdown('x'.repeat(MIB));
      await host.run();
    }
    expect(turn.signal.aborted).toBe(true);
    const ends = client
      .envelopes(chat)
      .flatMap(({ action }) => (action.type === 'chat/error' ? [action] : []));
    expect(ends).toEqual([
      {
        type: 'chat/error',
        turnId: 'a',
        duration: 0,
        part: {
          kind: 'error',
          error: {
            errorType: 'agentError',
            message: 'The agent was stopped: its turn exceeds 16 MiB of text',
          },
        },
      },
    ]);
    void turn.output.markdown('more');
    turn.complete();
    await client.act(chat, start('b'));
    await host.run();
    expect(host.agent.turn.input.turnId).toBe('b');
    expect(client.types(chat).slice(-2)).toEqual(['chat/error', 'chat/turnStarted']);
  });

  it('counts its encoded size, where a control character takes six characters', () => {
    const size = new TurnSize();
    const delta = (content: string) => size.add({ type: 'chat/delta', turnId: 'a', partId: 'p', content });
    expect(delta('\u0001'.repeat(2 * MIB))).toBeUndefined();
    expect(delta('x'.repeat(4 * MIB))).toBeUndefined();
    expect(delta('\u0001')).toBe('16 MiB of text');
  });

  it('counts a replacement in place of the old value', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await client.act(chat, {
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId: 'a',
      message: { text: 'go', origin: { kind: 'user' } },
    });
    const { output, signal } = host.agent.turn;
    const call = output.toolCall({ toolName: 'edit', displayName: 'Edit' });
    for (let count = 0; count <= MAX_TURN_LENGTH / MIB; count += 1) {
      call.run({ invocationMessage: 'Edit', toolInput: 'x'.repeat(MIB) });
      await host.run();
    }
    expect(signal.aborted).toBe(false);
  });
});

describe('the size of a turn', () => {
  const turnId = 'c9b7e3de-1f4a-4d1e-8a3e-1c1c7a3b9a01';

  /** Counts one call from its start to its end. Returns the exceeded limit, if any. */
  function call(size: TurnSize, index: number): string | undefined {
    const target = { turnId, toolCallId: `0d3cb2a4-76b4-4a5e-9a36-${index}` };
    const named = { toolName: 'bash', displayName: 'Bash' };
    const invocationMessage = 'List the files of this folder';
    const result = { success: true, pastTenseMessage: 'Listed' };
    return (
      size.add({ type: 'chat/toolCallStart', ...target, ...named }) ??
      size.add({ type: 'chat/toolCallReady', ...target, invocationMessage, confirmed: 'not-needed' }) ??
      size.add({ type: 'chat/toolCallComplete', ...target, result })
    );
  }

  it('[CHAT-5] has room for 50,000 short tool calls, and for no more', () => {
    const size = new TurnSize();
    const faults = new Set<string | undefined>();
    for (let index = 0; index < MAX_TURN_PARTS; index += 1) faults.add(call(size, index));
    expect([...faults]).toEqual([undefined]);
    expect(call(size, MAX_TURN_PARTS)).toBe('50,000 parts');
  });
});
