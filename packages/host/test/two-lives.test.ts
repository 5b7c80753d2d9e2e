import { expect, test } from 'vitest';
import { startHost } from './host-fixture.ts';

const title = (text: string) => ({ type: 'session/titleChanged', title: text });
const FIRST = { 'x-epoch': 'life-1' };
const SECOND = { 'x-epoch': 'life-2' };

test('[ACT-5] of two lives under one client id, one that comes back behind the other has nothing applied twice, after a restart neither', async () => {
  const host = await startHost();
  const first = await host.client('shared', FIRST);
  const { session } = await host.session(first);
  const echo = await first.act(session, title('once'));
  // As when the answer never came: it does not know that it was heard.
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
