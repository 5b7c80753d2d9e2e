// Invalid sizes and URIs of clients.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

let host: HostFixture;
let client: RawClient;

beforeEach(async () => {
  host = await startHost();
  client = await host.client();
});

afterEach(() => host.kill());

const TERMINAL = 'ahp-terminal:/t';
const claim = (): object => ({ kind: 'client', clientId: client.clientId });

describe('a size', () => {
  // NaN and Infinity are null in JSON.
  const odd = [0, -1, 1.5, 65_536, 1e308, null, '80', {}];

  test.each(odd)('[WIRE-3] of %j is refused for a new terminal', async (cols) => {
    for (const size of [
      { cols, rows: 24 },
      { cols: 80, rows: cols },
    ])
      await expect(
        client.raw('createTerminal', { channel: TERMINAL, claim: claim(), ...size }),
      ).rejects.toMatchObject({ code: -32602 });
  });

  test.each(odd)(
    '[ACT-3] of %j is refused for an existing terminal, whose size stays unchanged',
    async (rows) => {
      await client.raw('createTerminal', { channel: TERMINAL, claim: claim(), cols: 80, rows: 24 });
      await client.subscribe(TERMINAL);
      const echo = await client.act(TERMINAL, { type: 'terminal/resized', cols: 80, rows });
      expect(echo?.rejectionReason).toMatch(/^invalidAction: action\.rows: /);
      expect((await client.subscribe(TERMINAL)).state).toMatchObject({ cols: 80, rows: 24 });
    },
  );

  test('that is valid but larger than any window is cut', async () => {
    await client.raw('createTerminal', { channel: TERMINAL, claim: claim(), cols: 65_535, rows: 65_535 });
    expect((await client.subscribe(TERMINAL)).state).toMatchObject({ cols: 2_000, rows: 1_000 });
    await client.act(TERMINAL, { type: 'terminal/resized', cols: 65_535, rows: 1 });
    expect((await client.subscribe(TERMINAL)).state).toMatchObject({ cols: 2_000, rows: 1 });
  });
});

describe('a URI that is too long', () => {
  const tooLong = (kind: string): string => `ahp-${kind}:/`.padEnd(513, 'x');
  const error = (name: string): object => ({
    code: -32602,
    message: `params.${name}: expected a URI of at most 512 characters, got 513`,
  });

  test('is refused with its length, for every kind of channel', async () => {
    const { session } = await host.session(client);
    const created = client.raw('createSession', { channel: tooLong('session') });
    await expect(created).rejects.toMatchObject(error('channel'));
    const chat = client.raw('createChat', { channel: session, chat: tooLong('chat') });
    await expect(chat).rejects.toMatchObject(error('chat'));
    const terminal = client.raw('createTerminal', { channel: tooLong('terminal'), claim: claim() });
    await expect(terminal).rejects.toMatchObject(error('channel'));
  });

  test('is distinguished from an invalid one', async () => {
    const created = client.raw('createSession', { channel: 'ahp-chat:/c' });
    await expect(created).rejects.toMatchObject({
      message: 'params.channel: ahp-chat:/c cannot name a session',
    });
    await expect(client.raw('listSessions', { channel: ROOT })).resolves.toMatchObject({ items: [] });
  });
});
