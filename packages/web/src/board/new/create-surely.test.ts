import { ConnectionLost, RpcError, type SessionHandle } from '@agenthost/client';
import { describe, expect, it } from 'vitest';
import { createSurely, type SessionMaker } from './create-surely.ts';

const URI = 'ahp-session:/one';
const handle = { uri: URI } as SessionHandle;

/** A client whose attempts to create and to open have these results, in order. */
function maker(created: readonly unknown[], opened: readonly unknown[] = [handle]) {
  const calls: string[] = [];
  const next = (name: string, results: unknown[]) => async () => {
    calls.push(name);
    const result = results.shift();
    if (result instanceof Error) throw result;
    return result as SessionHandle;
  };
  const client: SessionMaker = {
    sessions: { create: next('create', [...created]), open: next('open', [...opened]) },
    whenOnline: async () => void calls.push('online'),
  };
  return { client, calls };
}

const lost = new ConnectionLost('no answer to ping');
const exists = new RpcError(-32003, 'the session exists');

describe('creating a session over a connection that breaks', () => {
  it('opens the session that the host had created', async () => {
    const { client, calls } = maker([lost, exists]);
    expect(await createSurely(client, { uri: URI })).toBe(handle);
    expect(calls).toEqual(['create', 'online', 'create', 'open']);
  });

  it('creates it when the request was lost, and repeats the opening', async () => {
    const again = maker([lost, handle]);
    expect(await createSurely(again.client, { uri: URI })).toBe(handle);
    const { client, calls } = maker([lost, exists, exists], [lost, handle]);
    expect(await createSurely(client, { uri: URI })).toBe(handle);
    expect(calls).toEqual(['create', 'online', 'create', 'open', 'online', 'create', 'open']);
  });

  it('passes on every other error', async () => {
    await expect(createSurely(maker([exists]).client, { uri: URI })).rejects.toBe(exists);
    const refused = new RpcError(-32602, 'bad');
    await expect(createSurely(maker([lost, refused]).client, { uri: URI })).rejects.toBe(refused);
  });
});
