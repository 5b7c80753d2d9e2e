import type { ChatState } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { Harness } from '../../test/harness.ts';
import { CHAT, ids, load, queued, reload, Storage, TERMINAL } from '../../test/reloaded-page.ts';
import { ECHO_PATIENCE_MS } from './dispatcher.ts';

const handshakes = (it: Harness) =>
  it.host.requests
    .filter(({ method }) => method === 'initialize')
    .map(({ params }) => params as { clientId: string; 'x-epoch': string });

describe('[ACT-5] a client with a memory', () => {
  test('sends the unsent actions of the time before the reload, under the same id, epoch and number', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    await first.cut();
    first.client.dispatch(CHAT, queued('m1')).catch(expect.fail);
    const second = reload(first, memory);
    const own = second.client.dispatch(CHAT, queued('m2'));
    await second.online();
    expect(second.client.clientId).toBe(first.client.clientId);
    const [before, after] = handshakes(second);
    expect(after).toMatchObject({ clientId: before?.clientId, 'x-epoch': before?.['x-epoch'] });
    expect(second.client.restored).toMatchObject([{ channel: CHAT, action: queued('m1') }]);
    expect(await second.client.restored[0]?.outcome).toMatchObject({ outcome: 'accepted' });
    expect(await own).toMatchObject({ outcome: 'accepted' });
    expect(ids(second.host.states.get(CHAT) as ChatState)).toEqual(['m1', 'm2']);
  });

  test('does not repeat actions that the host had processed before the reload', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    first.client.dispatch(CHAT, queued('m1')).catch(expect.fail);
    first.pair.aToB.deliver();
    expect(first.host.log).toHaveLength(1);
    const second = await reload(first, memory).online();
    expect(await second.client.restored[0]?.outcome).toMatchObject({
      outcome: 'accepted',
      envelope: { serverSeq: 1 },
    });
    expect(second.host.log).toHaveLength(1);
    first.host.log = [];
    const third = await load(memory, { host: second.host, sharedClock: second.clock }).online();
    expect(await third.client.restored[0]?.outcome, 'it was not removed from the memory yet').toMatchObject({
      outcome: 'rejected',
      code: 'outcomeExpired',
    });
  });

  test('[REC-1] a mirror shows a restored action until it has its outcome', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    await first.cut();
    first.client.dispatch(CHAT, queued('m1')).catch(expect.fail);
    const second = reload(first, memory);
    second.host.judge = () => 'ignore';
    await second.online();
    const mirror = await second.run(second.client.subscribe(CHAT));
    expect([ids(mirror.state), ids(mirror.confirmed)]).toEqual([['m1'], []]);
    second.clock.advance(ECHO_PATIENCE_MS);
    await second.settle();
    expect(await second.client.restored[0]?.outcome).toEqual({ outcome: 'ignored' });
    expect(ids(mirror.state)).toEqual([]);
  });

  test('[REC-1] a client that holds its actions shows them, sends none, and leaves them in the memory', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    await first.cut();
    first.client.dispatch(CHAT, queued('m1')).catch(expect.fail);
    const copy = await load(memory, { holdsActions: true }).online();
    const mirror = await copy.run(copy.client.subscribe(CHAT));
    copy.client.dispatch(CHAT, queued('m2')).catch(expect.fail);
    copy.clock.advance(10 * ECHO_PATIENCE_MS);
    await copy.settle();
    expect([ids(mirror.state), ids(mirror.confirmed)]).toEqual([['m1', 'm2'], []]);
    expect(copy.host.dispatched).toEqual([]);
    copy.client.close();
    expect(memory.types).toEqual(['chat/pendingMessageSet', 'chat/pendingMessageSet']);
  });

  test('gives no number twice after a reload', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    const mirror = await first.run(first.client.subscribe(TERMINAL));
    for (let count = 0; count < 5; count++)
      mirror.dispatch({ type: 'terminal/input', data: `${count}` }).catch(expect.fail);
    await first.settle();
    const second = await reload(first, memory).online();
    const outcome = second.client.dispatch(TERMINAL, { type: 'terminal/input', data: '5' });
    await second.settle();
    expect(await outcome).toMatchObject({ outcome: 'accepted' });
    const seqs = second.host.dispatched.map(({ clientSeq }) => clientSeq);
    expect(new Set(seqs).size).toBe(6);
  });

  test('removes settled actions within a quarter of a second, and at once when it is closed', async () => {
    const memory = new Storage();
    const it = await load(memory).online();
    it.client.dispatch(CHAT, queued('m1')).catch(expect.fail);
    it.client.dispatch(CHAT, queued('m2')).catch(expect.fail);
    expect(memory.types).toHaveLength(2);
    await it.settle();
    const { saveCount } = memory;
    it.clock.advance(250);
    expect(memory.types).toEqual([]);
    expect(memory.saveCount).toBe(saveCount + 1);
    it.client.dispatch(CHAT, queued('m3')).catch(expect.fail);
    await it.settle();
    it.client.close();
    expect(memory.types).toEqual([]);
    expect(it.clock.timerCount).toBe(0);
  });

  test('keeps unanswered actions when it is closed, or cannot connect', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    await first.cut();
    const outcome = first.client.dispatch(CHAT, queued('m1'));
    first.client.close();
    expect(await outcome).toMatchObject({ outcome: 'dropped' });
    const second = load(memory, { host: first.host, sharedClock: first.clock });
    second.connectError = new Error('the host is away');
    await expect(second.run(second.client.connect())).rejects.toThrow('the host is away');
    const third = await load(memory, { host: first.host, sharedClock: first.clock }).online();
    expect(await third.client.restored[0]?.outcome).toMatchObject({ outcome: 'accepted' });
  });

  test('leaves the memory to the client that replaced it, and acts in a life of its own', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    first.client.dispatch(CHAT, queued('m1')).catch(expect.fail);
    await first.settle();
    const second = await load(memory, { host: first.host, sharedClock: first.clock }).online();
    await first.settle();
    expect(first.client.status.state).toBe('replaced');
    await second.run(second.client.dispatch(CHAT, queued('m2')));
    const { text } = memory;
    first.client.reconnectNow();
    await first.settle();
    await second.settle();
    const outcome = await first.run(first.client.dispatch(CHAT, queued('m3')));
    expect(outcome).toMatchObject({ outcome: 'accepted' });
    expect(ids(first.host.states.get(CHAT) as ChatState)).toEqual(['m1', 'm2', 'm3']);
    expect(memory.text).toBe(text);
    const epochs = first.host.requests.flatMap(
      ({ params }) => (params as { 'x-epoch'?: string })['x-epoch'] ?? [],
    );
    expect(new Set(epochs).size).toBe(2);
  });

  test('with another clientId begins a new life', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    await first.cut();
    first.client.dispatch(CHAT, queued('m1')).catch(expect.fail);
    const other = new Harness({ memory, clientId: 'other' });
    expect(other.client.restored).toEqual([]);
    expect(memory.life).toMatchObject({ clientId: 'other', pending: [] });
  });
});
