import type { ActionEnvelope } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { type HostFixture, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

/** A chat of six turns, a client with all of them, and a client with the last one only. */
async function setUp() {
  const host = await startHost();
  const client = await host.client();
  const { chat } = await host.session(client);
  for (let index = 1; index <= 6; index += 1) {
    await client.act(chat, turnStarted(`t${index}`));
    await host.run();
    host.agent.turn.complete();
    await host.run();
  }
  await client.subscribe(chat);
  const windowed = await host.client();
  const { state } = await windowed.subscribe(chat, { view: { turns: 1 } });
  for (const each of [client, windowed]) each.clear();
  return { host, client, windowed, chat, state };
}

const numbersOf = (envelopes: readonly ActionEnvelope[]): number[] =>
  envelopes.map(({ serverSeq }) => serverSeq);

/** Fails unless private envelopes have numbers between those of public ones, and are not in the journal. */
function expectOwnNumbers(host: HostFixture, others: RawClient, sent: readonly ActionEnvelope[]): void {
  const numbers = numbersOf(sent);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  expect(numbersOf(others.envelopes()).filter((number) => numbers.includes(number))).toEqual([]);
  const journaled = host.journal.disk.envelopes.map(({ seq }) => seq);
  expect(journaled.filter((number) => numbers.includes(number))).toEqual([]);
  for (const envelope of sent) expect(envelope).not.toHaveProperty('origin');
}

test('[ACT-7] [CHAT-15] turns that a client requests go to it alone, under a number of their own, and are not journaled', async () => {
  const { host, client, windowed, chat, state } = await setUp();
  if (!('turnsNextCursor' in state)) throw new Error('the window has all turns');
  await windowed.request('fetchTurns', { channel: chat, cursor: state.turnsNextCursor ?? '' });
  await host.run();
  expect(windowed.types()).toEqual(['chat/turnsLoaded']);
  expect(client.envelopes()).toEqual([]);
  const loaded = windowed.envelopes();
  const next = await client.act(chat, { type: 'chat/draftChanged' });
  await host.run();
  expect(numbersOf(windowed.envelopes()).at(-1)).toBe(next?.serverSeq);
  expect(next?.serverSeq).toBeGreaterThan(Math.max(...numbersOf(loaded)));
  expectOwnNumbers(host, client, loaded);
});

test('[ACT-7] [CHAT-6] actions that adapt a window to a truncation go to its client alone, under numbers of their own, and is not journaled', async () => {
  const { host, client, windowed, chat } = await setUp();
  const echo = await client.act(chat, { type: 'chat/truncated', turnId: 't2' });
  await host.run();
  expect(client.envelopes(chat)).toEqual([echo]);
  expect(windowed.types(chat)).toEqual(['chat/truncated', 'chat/turnsLoaded', 'chat/truncated']);
  const [cut, loaded, shared, ...rest] = windowed.envelopes(chat);
  expect(rest).toEqual([]);
  expect(cut?.action).toEqual({ type: 'chat/truncated' });
  expect(shared).toEqual(echo);
  const alone = [cut, loaded].flatMap((each) => each ?? []);
  expect(Math.max(...numbersOf(alone))).toBeLessThan(echo?.serverSeq ?? 0);
  expectOwnNumbers(host, client, alone);
});
