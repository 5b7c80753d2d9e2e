import { expect, test } from 'vitest';
import { startHost } from './host-fixture.ts';

const title = (text: string) => ({ type: 'session/titleChanged', title: text });
const FIRST = { 'x-epoch': 'life-1' };
const SECOND = { 'x-epoch': 'life-2' };

test('[ACT-5] of two epochs of one client id, one that returns after the other has nothing applied twice, not even after a restart', async () => {
  const host = await startHost();
  const first = await host.client('shared', FIRST);
  const { session } = await host.session(first);
  const echo = await first.act(session, title('once'));
  // The answer never arrived: the client does not know that the host has processed its action.
  first.link.loseClient();
  const second = await host.client('shared', SECOND);
  await second.act(session, title('of the other'));
  await host.restart();
  const again = host.connect('shared');
  await again.reconnect(0, [session], FIRST);
  again.dispatch(session, title('once'), 1);
  again.dispatch(session, title('next'), 2);
  await again.ping();
  expect(again.echoOf(1)).toEqual(echo);
  const { state } = await again.subscribe(session);
  expect(state).toMatchObject({ title: 'next' });
  const titles = host.journal.disk.envelopes.filter(({ json }) => json.includes('"once"'));
  expect(titles).toHaveLength(1);
});

test('[ACT-5] an epoch that returns after hundreds of others has nothing applied twice, and their records stay small', async () => {
  const host = await startHost();
  const first = await host.client('shared', FIRST);
  const { session } = await host.session(first);
  const echo = await first.act(session, title('once'));
  for (let life = 0; life < 400; life += 1) {
    const other = await host.client('shared', { 'x-epoch': `${'e'.repeat(200)}-${life}` });
    await other.act(session, title(`of ${life}`));
  }
  // Epochs without an action do not replace the records of others.
  for (let life = 0; life < 600; life += 1) await host.client('shared', { 'x-epoch': `idle-${life}` });
  await host.restart();
  const again = host.connect('shared');
  await again.reconnect(0, [session], FIRST);
  again.dispatch(session, title('once'), 1);
  await again.ping();
  expect(again.echoOf(1)).toEqual(echo);
  expect(host.journal.disk.envelopes.filter(({ json }) => json.includes('"once"'))).toHaveLength(1);
  const row = await host.journal.readClient('shared');
  expect(row?.pastEpochs?.length).toBeLessThan(10_000);
});

test('[ACT-5] an epoch that begins to count at 0 has that action applied once', async () => {
  const host = await startHost();
  const client = await host.client('counts-from-0', FIRST);
  const { session } = await host.session(client);
  client.dispatch(session, title('zero'), 0);
  client.dispatch(session, title('one'), 1);
  await client.ping();
  expect([client.echoOf(0)?.rejectionReason, client.echoOf(1)?.rejectionReason]).toEqual([
    undefined,
    undefined,
  ]);
  const echo = client.echoOf(0);
  await host.restart();
  const again = host.connect('counts-from-0');
  await again.reconnect(0, [session], FIRST);
  again.dispatch(session, title('zero'), 0);
  await again.ping();
  expect(again.echoOf(0)).toEqual(echo);
  const titles = host.journal.disk.envelopes.filter(({ json }) => json.includes('"zero"'));
  expect(titles).toHaveLength(1);
});
