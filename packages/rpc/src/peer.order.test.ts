import { describe, expect, test } from 'vitest';
import { type AnyPeer, deferred, raw, request, settle } from '../test/raw-peer.ts';
import { RpcError } from './errors.ts';
import { memoryPair } from './memory.ts';
import { Peer } from './peer.ts';

describe('order', () => {
  test('[WIRE-6] messages after an unsettled request or notification wait, and keep their order', async () => {
    const it = raw();
    const log: string[] = [];
    const gates = { slow: deferred<string>(), note: deferred<void>() };
    it.peer.handle('slow', () => {
      log.push('slow');
      return gates.slow.promise;
    });
    it.peer.handle('fast', () => {
      log.push('fast');
      return 'fast';
    });
    it.peer.onNotification('note', () => {
      log.push('note');
      return gates.note.promise;
    });
    it.peer.start();
    it.send(request(1, 'slow'));
    it.send({ jsonrpc: '2.0', method: 'note' });
    it.send(request(2, 'fast'));
    await settle(it);
    expect(log).toEqual(['slow']);
    gates.slow.reject(new RpcError(-32000, 'failed'));
    await settle(it);
    expect(log).toEqual(['slow', 'note']);
    gates.note.resolve();
    await settle(it);
    expect(log).toEqual(['slow', 'note', 'fast']);
    expect(it.sent).toMatchObject([
      { id: 1, error: {} },
      { id: 2, result: 'fast' },
    ]);
  });

  test('[WIRE-6] a concurrent request starts after earlier ordered requests and delays no later request', async () => {
    const it = raw();
    const log: string[] = [];
    const gates = { load: deferred<string>(), read: deferred<string>() };
    it.peer.handle('load', () => gates.load.promise);
    it.peer.handle(
      'read',
      () => {
        log.push('read started');
        return gates.read.promise;
      },
      { concurrent: true },
    );
    it.peer.handle('next', () => 'next');
    it.peer.start();
    it.send(request(1, 'load'));
    it.send(request(2, 'read'));
    it.send(request(3, 'next'));
    await settle(it);
    expect(log).toEqual([]);
    gates.load.resolve('loaded');
    await settle(it);
    expect(log).toEqual(['read started']);
    expect(it.sent).toMatchObject([{ id: 1 }, { id: 3 }]);
    gates.read.resolve('content');
    await settle(it);
    expect(it.sent).toMatchObject([{ id: 1 }, { id: 3 }, { id: 2, result: 'content' }]);
  });

  test('[WIRE-6] answers to own requests are accepted while an ordered handler waits for them', async () => {
    const it = raw();
    it.peer.handle('outer', async () => ({ got: await it.peer.request('inner', {}) }));
    it.peer.start();
    it.send(request('o', 'outer'));
    expect(it.sent).toMatchObject([{ id: 1, method: 'inner' }]);
    it.send({ jsonrpc: '2.0', id: 1, result: 'answer' });
    await settle(it);
    expect(it.sent[1]).toEqual({ jsonrpc: '2.0', id: 'o', result: { got: 'answer' } });
  });

  test('a frame that arrives inside a handler is handled after it, in the same call', () => {
    const [a, b] = memoryPair({ delivery: 'immediate' });
    const log: string[] = [];
    const peer: AnyPeer = new Peer(b);
    peer.onNotification('first', () => {
      a.send('{"jsonrpc":"2.0","method":"second"}');
      log.push('first done');
    });
    peer.onNotification('second', () => log.push('second'));
    peer.start();
    a.send('{"jsonrpc":"2.0","method":"first"}');
    expect(log).toEqual(['first done', 'second']);
  });

  test('more unanswered messages than allowed close the connection with 1008', async () => {
    const it = raw({ maxQueued: 3 });
    it.peer.handle('hang', () => new Promise(() => undefined));
    it.peer.start();
    for (let id = 0; id < 4; id++) it.send(request(id, 'hang'));
    expect(it.closed).toEqual([]);
    it.send(request(5, 'hang'));
    expect(it.closed).toEqual([{ code: 1008, reason: 'more than 3 messages wait to be handled' }]);
    expect(it.peer.closeInfo?.code).toBe(1008);
  });

  test('concurrent requests count as unanswered', () => {
    const it = raw({ maxQueued: 2 });
    it.peer.handle('hang', () => new Promise(() => undefined), { concurrent: true });
    it.peer.start();
    for (let id = 0; id < 3; id++) it.send(request(id, 'hang'));
    expect(it.closed).toMatchObject([{ code: 1008 }]);
  });

  test('a long backlog of synchronous messages is handled without recursion', async () => {
    const it = raw();
    const gate = deferred<void>();
    let count = 0;
    it.peer.handle('wait', () => gate.promise);
    it.peer.onNotification('n', () => {
      count += 1;
    });
    it.peer.start();
    it.send(request(1, 'wait'));
    for (let i = 0; i < 9_999; i++) it.send('{"jsonrpc":"2.0","method":"n"}');
    gate.resolve();
    await settle(it);
    expect(count).toBe(9_999);
  });

  test('a request with `patienceMs` overtakes requests after that time, but never a notification', async () => {
    const due = new Map<object, () => void>();
    const it = raw({
      timers: {
        setTimeout: (callback) => {
          const handle = {};
          due.set(handle, callback);
          return handle;
        },
        clearTimeout: (handle) => typeof handle === 'object' && handle !== null && due.delete(handle),
      },
    });
    const fire = async (): Promise<void> => {
      const callbacks = [...due.values()];
      due.clear();
      for (const callback of callbacks) callback();
      await settle(it);
    };
    const gate = deferred<string>();
    it.peer.handle('slow', () => gate.promise);
    it.peer.handle('ping', () => 'pong', { patienceMs: 3_000 });
    it.peer.onNotification('act', () => undefined);
    it.peer.start();
    it.send(request(1, 'slow'));
    it.send(request(2, 'ping'));
    await settle(it);
    expect(it.sent).toEqual([]);
    await fire();
    expect(it.sent).toMatchObject([{ id: 2, result: 'pong' }]);
    it.send({ jsonrpc: '2.0', method: 'act' });
    it.send(request(3, 'ping'));
    await fire();
    expect(it.sent).toHaveLength(1);
    gate.resolve('done');
    await settle(it);
    expect(it.sent).toMatchObject([{ id: 2 }, { id: 1 }, { id: 3 }]);
    expect(due.size).toBe(0);
  });
});
