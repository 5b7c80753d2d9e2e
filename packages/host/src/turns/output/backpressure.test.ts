import { describe, expect, it } from 'vitest';
import { startHost } from '../../../test/host-fixture.ts';
import type { ToolCallHandle } from '../../agents/tool-call.ts';
import type { TurnOutput } from '../../agents/turn.ts';
import { MAX_RUNAWAY, TurnBackpressure } from './backpressure.ts';

async function setUp() {
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
  return { host, client, chat, start, turn: host.agent.turn };
}

describe('an agent in the process of the host', () => {
  const calls: [string, (output: TurnOutput, call: ToolCallHandle) => void][] = [
    ['markdown', (output) => void output.markdown('x')],
    ['notify', (output) => output.notify('x')],
    ['usage', (output) => output.usage({ inputTokens: 1 })],
    ['activity', (output) => output.activity('x')],
    ['toolCall', (output) => void output.toolCall({ toolName: 'x', displayName: 'X' })],
    ['fileEdit', (output) => void output.fileEdit({ uri: 'file:///x', after: 'x' })],
    ['input', (_, call) => void call.input('x')],
    ['run', (_, call) => call.run({ invocationMessage: 'x' })],
    ['content', (_, call) => call.content([{ type: 'text', text: 'x' }])],
  ];

  it.each(calls)(
    '[CHAT-5] that never waits is stopped when it calls `%s` without end, and the next turn runs',
    async (_, act) => {
      const { host, client, chat, start, turn } = await setUp();
      const call = turn.output.toolCall({ toolName: 'x', displayName: 'X' });
      for (let count = 0; count < 3 * MAX_RUNAWAY; count += 1) act(turn.output, call);
      await host.run();
      expect(turn.signal.aborted).toBe(true);
      const errors = client
        .envelopes(chat)
        .flatMap(({ action }) => (action.type === 'chat/error' ? [action.part.error.message] : []));
      expect(errors).toEqual([
        `The agent was stopped: it ran ${MAX_RUNAWAY} steps ahead of the host and did not wait`,
      ]);
      // Calls after its end cost nothing.
      expect(client.envelopes(chat).length).toBeLessThanOrEqual(MAX_RUNAWAY + 10);
      turn.complete();
      await client.act(chat, start('b'));
      await host.run();
      expect(host.agent.turn.input.turnId).toBe('b');
    },
  );

  /** The reason why its turn was stopped, when it does this in one tick. */
  async function stoppedBy(act: (output: TurnOutput) => void): Promise<string[]> {
    const { host, client, chat, turn } = await setUp();
    act(turn.output);
    await host.run();
    return client
      .envelopes(chat)
      .flatMap(({ action }) => (action.type === 'chat/error' ? [action.part.error.message] : []));
  }

  it('[CHAT-5] that is stopped for its characters gets that reason', async () => {
    const large = 'x'.repeat(4 * 1024 * 1024);
    const stopped = await stoppedBy((output) => {
      for (let count = 0; count < 10; count += 1)
        output.fileEdit({ uri: 'file:///a', before: large, after: large });
    });
    expect(stopped).toEqual([
      'The agent was stopped: it ran 64 Mi characters ahead of the host and did not wait',
    ]);
  });

  it('[CS-3] may change three files of 24 MB in one tick: 4 MiB of each version are kept', async () => {
    const large = 'x'.repeat(24_000_000);
    const stopped = await stoppedBy((output) => {
      for (const uri of ['file:///a', 'file:///b', 'file:///c'])
        output.fileEdit({ uri, before: large, after: large });
      output.notify('done');
    });
    expect(stopped).toEqual([]);
  });

  it('that waits with `ready` is slowed by its output, and is not stopped', async () => {
    const { host, turn } = await setUp();
    const call = turn.output.toolCall({ toolName: 'x', displayName: 'X' });
    call.run({ invocationMessage: 'x' });
    let count = 0;
    let isDone = false;
    const speak = async (): Promise<void> => {
      for (; count < 3 * MAX_RUNAWAY; count += 1) {
        call.content([{ type: 'text', text: `${count}` }]);
        await turn.output.ready();
      }
    };
    const done = speak().then(() => {
      isDone = true;
    });
    for (let left = 10; left > 0; left -= 1) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    // No event-loop iteration of the host came between.
    expect(count).toBeLessThan(600);
    await expect.poll(() => host.run().then(() => isDone)).toBe(true);
    await done;
    expect(turn.signal.aborted).toBe(false);
  });
});

describe('the backpressure of a turn', () => {
  /** Counts steps until the agent must wait for a commit. */
  async function stepsAhead(partCount: number): Promise<number> {
    const { sync } = (await startHost()).host.core;
    const backpressure = new TurnBackpressure(sync, () => undefined);
    backpressure.setPartCount(partCount);
    let hasRoom = true;
    for (let count = 0; hasRoom; count += 1) {
      hasRoom = false;
      void backpressure.step(0, backpressure.stepped).then(() => (hasRoom = true));
      await Promise.resolve();
      if (!hasRoom) return count + 1;
    }
    return 0;
  }

  it('allows fewer steps in a tick when each copies a longer list', async () => {
    expect(await stepsAhead(0)).toBe(512);
    expect(await stepsAhead(5_000)).toBe(512);
    expect(await stepsAhead(50_000)).toBe(80);
  });
});
