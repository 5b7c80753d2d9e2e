import { expect, test } from 'vitest';
import { HostFixture } from './host-fixture.ts';

test('[DIA-3] an echo is in the version of its sender, and a rejection has the action as it was sent', async () => {
  const host = await new HostFixture().start();
  const newer = await host.client('newer');
  const { chat } = await host.session(newer);
  await newer.subscribe(chat);
  const older = host.connect('older');
  await older.initialize({ protocolVersions: ['0.5.2'] });
  await older.subscribe(chat);
  const started = (turnId: string) => ({
    type: 'chat/turnStarted',
    turnId,
    message: { text: 'go', origin: { kind: 'user' } },
  });
  const echo = await older.act(chat, started('t1'));
  expect(echo).toMatchObject({ origin: { clientId: 'older' } });
  expect(echo?.action).toEqual({ ...started('t1'), 'x-by': { clientId: 'older', name: 'client' } });
  expect(newer.envelopes(chat)[0]?.action).toMatchObject({ turnId: 't1', startedAt: expect.any(String) });
  const refused = await older.act(chat, started('t2'));
  expect(refused?.rejectionReason).toMatch(/^turnActive: /);
  expect(refused?.action).toEqual(started('t2'));
});
