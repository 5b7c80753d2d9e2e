import type { TerminalClaim } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const TERMINAL = 'ahp-terminal:/t';

const forClient = ({ clientId }: RawClient): TerminalClaim => ({ kind: 'client', clientId });

/** A terminal made by `client`, who is subscribed to it. */
async function open(fixture: HostFixture, client: RawClient, params: object = {}): Promise<void> {
  await client.request('createTerminal', { channel: TERMINAL, claim: forClient(client), ...params });
  await client.subscribe(TERMINAL);
  await fixture.run();
}

describe('createTerminal', () => {
  it('[TERM-1] [TERM-2] starts a pty, lists it, and brings input there and output back', async () => {
    const fixture = await startHost();
    const client = await fixture.client();
    await client.subscribe(ROOT);
    await open(fixture, client);
    expect(client.types(ROOT)).toEqual(['root/terminalsChanged']);
    client.dispatch(TERMINAL, { type: 'terminal/input', data: 'ls\r' });
    await fixture.run();
    expect(fixture.ptys.last.keys).toBe('ls\r');
    fixture.ptys.last.output('file\r\n');
    await fixture.run();
    expect(client.envelopes(TERMINAL).map(({ action }) => action)).toEqual([
      { type: 'terminal/input', data: 'ls\r' },
      { type: 'terminal/data', data: 'file\r\n' },
    ]);
    expect(fixture.ptys.last.acknowledged).toBe(6);
  });
});
