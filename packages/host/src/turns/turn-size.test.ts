import { describe, expect, it } from 'vitest';
import { startHost } from '../../test/host-fixture.ts';
import { MAX_TURN_LENGTH } from './turn-size.ts';

const MIB = 1024 * 1024;

describe('a turn that grows without end', () => {
  it('[CHAT-5] is ended with what it is, the agent is told to stop, and the next turn runs', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    const start = (turnId: string) => ({
      type: 'chat/turnStarted',
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
        error: {
          errorType: 'agentError',
          message: 'The agent was stopped: its turn has grown beyond 64 MiB of text',
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

  it('counts what replaces something anew, not on top', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await client.act(chat, {
      type: 'chat/turnStarted',
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
