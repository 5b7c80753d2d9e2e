import { drainMicrotasks, markdownOf, turnStarted } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { startHost } from './host-fixture.ts';

test.each([
  ['many small', 10, 2_000],
  ['large', 8_000, 300],
])(
  'an agent that streams %s pieces without a pause leaves the event loop to others again and again',
  async (_, size, count) => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await client.act(chat, turnStarted('t1'));
    await host.run();
    let taken = 0;
    const streaming = (async () => {
      for (; taken < count; taken += 1) await host.agent.turn.output.markdown('x'.repeat(size));
    })();
    // Promises alone must not carry it on, however early what it says is committed.
    await drainMicrotasks();
    await drainMicrotasks();
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThanOrEqual(512);
    await host.run();
    await streaming;
    host.agent.turn.complete();
    await host.run();
    const { state } = await client.subscribe(chat);
    expect('turns' in state && markdownOf(state.turns[0]).length).toBe(size * count);
  },
);
