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
    // Promises alone must not let it continue, however early its output is committed.
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

test('an agent that floods without awaiting is slowed while the journal cannot be written, and continues when it can', async () => {
  const host = await startHost();
  const client = await host.client();
  const { session, chat } = await host.session(client);
  await client.act(chat, turnStarted('t1'));
  await host.run();
  const [opened] = host.agent.opened;
  if (opened === undefined) throw new Error('the agent has no session');
  host.journal.failNextCommits(3);
  const count = 2_000;
  let taken = 0;
  const flooding = (async () => {
    for (; taken < count; taken += 1) {
      host.agent.turn.output.usage({ inputTokens: taken + 1 });
      opened.host.title(`title ${taken + 1}`);
      await opened.host.ready();
    }
  })();
  // The host knows of the failure after the first commit; until then the agent continues.
  await host.run();
  const ahead = taken;
  expect(ahead).toBeLessThan(count);
  await host.advance(2_500);
  expect(taken).toBe(ahead);
  await host.advance(1_000);
  await flooding;
  expect(taken).toBe(count);
  host.agent.turn.complete();
  await host.run();
  const [told, said] = [await client.subscribe(session), await client.subscribe(chat)];
  expect(told.state).toMatchObject({ title: `title ${count}` });
  expect(said.state).toMatchObject({ turns: [{ state: 'complete', usage: { inputTokens: count } }] });
});
