import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { deferred, ManualTimers, raw, request, settle } from '../test/raw-peer.ts';
import { ConnectionClosed, RpcError } from './errors.ts';
import { memoryPair } from './memory.ts';
import { Peer } from './peer.ts';

describe('handlers', () => {
  test('[WIRE-3] each request gets exactly one response and a notification none', async () => {
    const it = raw();
    const heard: unknown[] = [];
    it.peer.handle('value', () => 1);
    it.peer.handle('promise', () => Promise.resolve(2));
    it.peer.handle('nothing', () => undefined);
    it.peer.onNotification('tell', (params) => heard.push(params));
    it.peer.start();
    it.send(request(1, 'value'));
    it.send({ jsonrpc: '2.0', method: 'tell', params: { a: 1 } });
    it.send(request('two', 'promise'));
    await settle(it);
    it.send(request(0, 'nothing'));
    expect(heard).toEqual([{ a: 1 }]);
    expect(it.sent).toEqual([
      { jsonrpc: '2.0', id: 1, result: 1 },
      { jsonrpc: '2.0', id: 'two', result: 2 },
      { jsonrpc: '2.0', id: 0, result: null },
    ]);
  });

  test('a wire error is sent unchanged, any other error as an internal error without details', async () => {
    const it = raw();
    it.peer.handle('wire', () => {
      throw new RpcError(-32008, 'No such file', { uri: 'file:///x' });
    });
    it.peer.handle('shape', () => Promise.reject(Object.assign(new Error('Taken'), { code: -32010 })));
    const secret = new Error('ENOENT /home/someone/secret');
    it.peer.handle('bug', () => {
      throw secret;
    });
    const exit = Object.assign(new Error('Command failed: /home/someone/bin'), { code: 1 });
    it.peer.handle('exit', () => Promise.reject(exit));
    it.peer.start();
    for (const method of ['wire', 'shape', 'bug', 'exit']) {
      it.send(request(method, method));
      await settle(it);
    }
    expect(it.sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 'wire',
        error: { code: -32008, message: 'No such file', data: { uri: 'file:///x' } },
      },
      { jsonrpc: '2.0', id: 'shape', error: { code: -32010, message: 'Taken' } },
      { jsonrpc: '2.0', id: 'bug', error: { code: -32603, message: 'Internal error' } },
      { jsonrpc: '2.0', id: 'exit', error: { code: -32603, message: 'Internal error' } },
    ]);
    expect(it.errors).toEqual([secret, exit]);
  });

  test('a result that cannot be serialized is an internal error', () => {
    const it = raw();
    it.peer.handle('big', () => 1n);
    it.peer.handle('bigError', () => {
      throw new RpcError(-32000, 'Odd', 1n);
    });
    it.peer.start();
    it.send(request(1, 'big'));
    it.send(request(2, 'bigError'));
    expect(it.sent).toMatchObject([
      { id: 1, error: { code: -32603 } },
      { id: 2, error: { code: -32000, message: 'Odd' } },
    ]);
    expect(it.errors).toHaveLength(2);
  });

  test('sendResponse gets every answer instead of the transport', () => {
    const answers: object[] = [];
    const it = raw({ sendResponse: (message) => answers.push(message) });
    it.peer.handle('echo', (params) => params);
    it.peer.start();
    it.send(request(1, 'echo'));
    it.send(request(2, 'nope'));
    it.send('{');
    it.send('[]');
    expect(it.sent).toEqual([]);
    expect(answers).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32601 } },
      { id: null, error: { code: -32700 } },
      { id: null, error: { code: -32600 } },
    ]);
  });

  test('the fallback hooks get messages without a handler', () => {
    const told: unknown[] = [];
    const it = raw({
      unknownRequest: (method, params, context) => ({ method, params, id: context.id }),
      unknownNotification: (method, params) => told.push([method, params]),
    });
    it.peer.handle('own', () => 'own');
    it.peer.start();
    it.send(request(1, 'own'));
    it.send(request(2, 'other', { a: 1 }));
    it.send({ jsonrpc: '2.0', method: 'note', params: { b: 1 } });
    expect(it.sent).toMatchObject([
      { result: 'own' },
      { result: { method: 'other', params: { a: 1 }, id: 2 } },
    ]);
    expect(told).toEqual([['note', { b: 1 }]]);
  });
});

describe('own requests', () => {
  interface Math {
    requests: { add: { params: { a: number; b: number }; result: number } };
    notifications: { log: { line: string } };
  }

  test('[WIRE-5] each end sends requests with its own ids', async () => {
    const [a, b] = memoryPair();
    const left = new Peer<Math, Math>(a);
    const right = new Peer<Math, Math>(b);
    left.handle('add', async ({ a, b }) => a + b + (await left.request('add', { a: 100, b: 0 })));
    right.handle('add', ({ a, b }) => a + b);
    left.start();
    right.start();
    await expect(
      Promise.all([right.request('add', { a: 1, b: 2 }), left.request('add', { a: 5, b: 5 })]),
    ).resolves.toEqual([103, 10]);
  });

  test('an error answer rejects with an RpcError that keeps its data', async () => {
    const it = raw();
    it.peer.start();
    const failing = it.peer.request('x', {});
    it.send({ jsonrpc: '2.0', id: 1, error: { code: -32002, message: 'No such provider', data: { p: 1 } } });
    await expect(failing).rejects.toMatchObject({ name: 'RpcError', code: -32002, data: { p: 1 } });
    const odd = it.peer.request('x', {});
    it.send({ jsonrpc: '2.0', id: 2, error: 'what' });
    await expect(odd).rejects.toMatchObject({ name: 'RpcError', code: -32603 });
  });

  test('a request times out, releases its timer in every case, and a late answer is ignored', async () => {
    const timers = new ManualTimers();
    const it = raw({ timers });
    it.peer.start();
    const slow = it.peer.request('x', {}, { timeoutMs: 500 });
    expect([...timers.armed.values()]).toMatchObject([{ delayMs: 500 }]);
    timers.fire();
    await expect(slow).rejects.toMatchObject({ name: 'RequestTimeout', code: 'request-timeout' });
    it.send({ jsonrpc: '2.0', id: 1, result: 'late' });
    const quick = it.peer.request('x', {}, { timeoutMs: 500 });
    it.send({ jsonrpc: '2.0', id: 2, result: 'ok' });
    await expect(quick).resolves.toBe('ok');
    expect(timers.armed.size).toBe(0);
  });

  test('an aborted request rejects with an AbortError and removes its listener from the signal', async () => {
    const timers = new ManualTimers();
    const it = raw({ timers });
    it.peer.start();
    const controller = new AbortController();
    const waiting = it.peer.request('x', {}, { signal: controller.signal, timeoutMs: 5 });
    controller.abort('user');
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError', cause: 'user' });
    expect(timers.armed.size).toBe(0);
    const calm = new AbortController();
    const quick = it.peer.request('x', {}, { signal: calm.signal });
    it.send({ jsonrpc: '2.0', id: 2, result: 1 });
    await quick;
    expect(getEventListeners(calm.signal, 'abort')).toEqual([]);
    await expect(it.peer.request('x', {}, { signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(it.pair.bToA.count).toBe(0);
  });

  test('onResult gets an answer before the next frames are handled, and its error rejects the request', async () => {
    const it = raw();
    const log: string[] = [];
    it.peer.onNotification('next', () => log.push('next'));
    it.peer.start();
    const asked = it.peer.request('x', {}, { onResult: (result) => log.push(`result ${String(result)}`) });
    it.pair.a.send('{"jsonrpc":"2.0","id":1,"result":"r"}');
    it.pair.a.send('{"jsonrpc":"2.0","method":"next"}');
    it.pair.deliverAll();
    expect(log).toEqual(['result r', 'next']);
    await expect(asked).resolves.toBe('r');
    const refused = it.peer.request(
      'x',
      {},
      {
        onResult: () => {
          throw new Error('not like this');
        },
      },
    );
    it.send({ jsonrpc: '2.0', id: 2, result: 1 });
    await expect(refused).rejects.toThrow('not like this');
  });

  test('params that cannot be serialized reject and leave no timer', async () => {
    const timers = new ManualTimers();
    const it = raw({ timers });
    it.peer.start();
    await expect(it.peer.request('x', { n: 1n }, { timeoutMs: 5 })).rejects.toThrow(TypeError);
    expect(timers.armed.size).toBe(0);
  });
});

describe('close', () => {
  test('pending requests reject, running handlers are aborted, late work is dropped', async () => {
    const closes: unknown[] = [];
    const it = raw({ onClose: (info) => closes.push(info) });
    const gate = deferred<string>();
    let signal: AbortSignal | undefined;
    it.peer.handle('work', (_params, context) => {
      signal = context.signal;
      return gate.promise;
    });
    it.peer.onNotification('after', () => expect.fail('must not run'));
    it.peer.start();
    it.send(request(1, 'work'));
    it.send({ jsonrpc: '2.0', method: 'after' });
    const pending = it.peer.request('x', {});
    it.pair.cut({ code: 1006, reason: 'gone' });
    await expect(pending).rejects.toBeInstanceOf(ConnectionClosed);
    await expect(it.peer.request('x', {})).rejects.toMatchObject({ info: { code: 1006, reason: 'gone' } });
    expect(signal?.aborted).toBe(true);
    expect(closes).toEqual([{ code: 1006, reason: 'gone' }]);
    gate.resolve('late');
    await settle(it);
    it.peer.notify('dropped', {});
    it.peer.close();
    expect(it.sent).toEqual([]);
    expect(closes).toHaveLength(1);
  });

  test('a local close is reported at once, and once at each end', () => {
    const closes: unknown[] = [];
    const it = raw({ onClose: (info) => closes.push(info) });
    it.peer.start();
    it.peer.close(4001, 'replaced');
    it.peer.close();
    expect(closes).toEqual([{ code: 4001, reason: 'replaced' }]);
    it.pair.deliverAll();
    expect(it.closed).toEqual([{ code: 4001, reason: 'replaced' }]);
  });

  test('after a close, an abort error of a handler is not reported, and any other error is', async () => {
    const it = raw();
    const gate = deferred<void>();
    for (const method of ['heeds', 'breaks']) {
      it.peer.handle(
        method,
        async (_params, { signal }) => {
          await gate.promise;
          if (method === 'heeds') signal.throwIfAborted();
          throw new Error('broken');
        },
        { concurrent: true },
      );
    }
    it.peer.start();
    it.send(request(1, 'heeds'));
    it.send(request(2, 'breaks'));
    it.pair.cut();
    gate.resolve();
    await settle(it);
    expect(it.errors).toMatchObject([{ message: 'broken' }]);
  });

  test('a handler that first reads its signal after the close gets an aborted signal', async () => {
    const it = raw();
    const gate = deferred<void>();
    let isAborted: boolean | undefined;
    it.peer.handle('work', async (_params, context) => {
      await gate.promise;
      isAborted = context.signal.aborted;
      return null;
    });
    it.peer.start();
    it.send(request(1, 'work'));
    it.pair.cut();
    gate.resolve();
    await settle(it);
    expect(isAborted).toBe(true);
  });
});
