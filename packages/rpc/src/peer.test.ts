import { describe, expect, test } from 'vitest';
import { ConnectionClosed, RpcError } from './errors.ts';
import { type ControlledPair, controlledPair, memoryPair } from './memory.ts';
import type { AnyMethods } from './methods.ts';
import { Peer, type PeerOptions } from './peer.ts';
import type { Timers } from './timers.ts';

type AnyPeer = Peer<AnyMethods, AnyMethods>;

interface Raw {
  peer: AnyPeer;
  pair: ControlledPair;
  /** Frames that the peer sent, parsed. */
  sent: unknown[];
  closed: { code: number; reason: string }[];
  errors: unknown[];
  send(frame: unknown): void;
}

/** A peer on end b, and the bare other end. */
function raw(options: PeerOptions = {}): Raw {
  const pair = controlledPair();
  const sent: unknown[] = [];
  const closed: { code: number; reason: string }[] = [];
  const errors: unknown[] = [];
  pair.a.start({
    onFrame: (frame) => sent.push(JSON.parse(frame)),
    onClose: (info) => closed.push(info),
  });
  const peer: AnyPeer = new Peer(pair.b, { onError: (error) => errors.push(error), ...options });
  return {
    peer,
    pair,
    sent,
    closed,
    errors,
    send: (frame) => {
      pair.a.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
      pair.aToB.deliver();
      pair.bToA.deliver(Number.POSITIVE_INFINITY);
    },
  };
}

const request = (id: unknown, method: string, params: unknown = {}): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** Lets promises settle and delivers what they sent. */
async function settle({ pair }: Raw): Promise<void> {
  for (let round = 0; round < 10; round++) await Promise.resolve();
  pair.bToA.deliver(Number.POSITIVE_INFINITY);
}

function deferred<T>(): { promise: Promise<T>; resolve(value: T): void; reject(error: unknown): void } {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve: (value) => resolve(value), reject: (error) => reject(error) };
}

class ManualTimers implements Timers {
  readonly armed = new Map<number, { callback: () => void; delayMs: number }>();
  #next = 1;
  setTimeout(callback: () => void, delayMs: number): number {
    this.armed.set(this.#next, { callback, delayMs });
    return this.#next++;
  }
  clearTimeout(handle: unknown): void {
    if (typeof handle === 'number') this.armed.delete(handle);
  }
  fire(): void {
    for (const [handle, { callback }] of [...this.armed]) {
      this.armed.delete(handle);
      callback();
    }
  }
}

describe('malformed input', () => {
  const refused = (code: number, id: unknown): object => ({
    jsonrpc: '2.0',
    id,
    error: { code, message: expect.any(String) },
  });
  const cases: [string, string, object][] = [
    ['text that is no JSON', '{"jsonrpc":', refused(-32700, null)],
    ['an empty frame', '', refused(-32700, null)],
    ['a string', '"ping"', refused(-32600, null)],
    ['a number', '7', refused(-32600, null)],
    ['null', 'null', refused(-32600, null)],
    ['a batch', JSON.stringify([request(1, 'echo')]), refused(-32600, null)],
    ['an empty batch', '[]', refused(-32600, null)],
    ['an object with neither method, result nor error', '{"jsonrpc":"2.0","id":4}', refused(-32600, 4)],
    ['the same without a usable id', '{"jsonrpc":"2.0","id":{}}', refused(-32600, null)],
    ['a request without jsonrpc', '{"id":5,"method":"echo"}', refused(-32600, 5)],
    ['a request of another version', '{"jsonrpc":"1.0","id":"x","method":"echo"}', refused(-32600, 'x')],
    ['a method that is no string', '{"jsonrpc":"2.0","id":6,"method":1}', refused(-32600, 6)],
    ['a null method', '{"jsonrpc":"2.0","id":6,"method":null}', refused(-32600, 6)],
    ['a request with id null', '{"jsonrpc":"2.0","id":null,"method":"echo"}', refused(-32600, null)],
    ['a request whose id is an object', '{"jsonrpc":"2.0","id":{},"method":"echo"}', refused(-32600, null)],
    ['a request whose id is a boolean', '{"jsonrpc":"2.0","id":true,"method":"echo"}', refused(-32600, null)],
    ['an unknown method', JSON.stringify(request(8, 'nope')), refused(-32601, 8)],
    ['a method named like a member of Object', JSON.stringify(request(8, 'constructor')), refused(-32601, 8)],
    ['the method __proto__', JSON.stringify(request(8, '__proto__')), refused(-32601, 8)],
    ['params that are a string', JSON.stringify(request(9, 'echo', 'x')), refused(-32602, 9)],
    ['params that are null', '{"jsonrpc":"2.0","id":9,"method":"echo","params":null}', refused(-32602, 9)],
    [
      'a request nested too deep',
      `{"jsonrpc":"2.0","id":10,"method":"echo","params":${'['.repeat(200)}${']'.repeat(200)}}`,
      refused(-32600, 10),
    ],
    [
      'a depth bomb',
      `{"jsonrpc":"2.0","id":11,"method":"echo","params":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
      refused(-32600, 11),
    ],
  ];
  test.each(cases)('[WIRE-3] %s is refused and the connection stays usable', (_title, frame, answer) => {
    const it = raw();
    it.peer.handle('echo', (params) => params);
    it.peer.start();
    it.send(frame);
    expect(it.sent).toEqual([answer]);
    it.send(request('after', 'echo', { still: 'here' }));
    expect(it.sent.slice(1)).toEqual([{ jsonrpc: '2.0', id: 'after', result: { still: 'here' } }]);
    expect(it.closed).toEqual([]);
  });

  const silent: [string, string][] = [
    ['a response with an unknown id', '{"jsonrpc":"2.0","id":99,"result":1}'],
    ['a response with id null', '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}'],
    ['a response without id', '{"jsonrpc":"2.0","result":1}'],
    ['a response whose id is a string like ours', '{"jsonrpc":"2.0","id":"1","result":1}'],
    ['a response with null error', '{"jsonrpc":"2.0","id":1000,"error":null}'],
    ['an unknown notification', '{"jsonrpc":"2.0","method":"nope"}'],
    ['a notification with params that are no object', '{"jsonrpc":"2.0","method":"tick","params":7}'],
    ['a response nested too deep', `{"jsonrpc":"2.0","id":99,"result":${'['.repeat(500)}${']'.repeat(500)}}`],
  ];
  test.each(silent)('[WIRE-3] %s is ignored, not answered', (_title, frame) => {
    const it = raw();
    it.peer.handle('echo', (params) => params);
    it.peer.onNotification('tick', () => expect.fail('must not run'));
    it.peer.start();
    it.send(frame);
    it.send(request(1, 'echo'));
    expect(it.sent).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  test('[WIRE-3] a message with both method and result is a request', () => {
    const it = raw();
    it.peer.handle('echo', (params) => params);
    it.peer.start();
    it.send({ ...request(1, 'echo'), result: 'stray' });
    expect(it.sent).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  test('keys like __proto__ pollute nothing and reach the handler as they are', () => {
    const it = raw();
    let seen: unknown;
    it.peer.handle('echo', (params) => {
      seen = params;
      return null;
    });
    it.peer.start();
    it.send(
      '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"__proto__":{"polluted":1}},"__proto__":{"x":1}}',
    );
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Object.keys(seen ?? {})).toEqual(['__proto__']);
  });

  test('a frame as deep as the limit is taken', () => {
    const it = raw({ maxDepth: 4 });
    it.peer.handle('echo', () => 'ok');
    it.peer.start();
    it.send(request(1, 'echo', [[['deep enough']]]));
    it.send(request(2, 'echo', [[[['too deep']]]]));
    expect(it.sent).toMatchObject([
      { id: 1, result: 'ok' },
      { id: 2, error: { code: -32600 } },
    ]);
  });
});

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

  test('a wire error goes out as it is, anything else as an internal error without details', async () => {
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

  test('a result that cannot be written is an internal error', () => {
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

  test('respond answers at once and what the handler does later changes nothing', async () => {
    const it = raw();
    const late = new Error('late');
    it.peer.handle('subscribe', (_params, context) => {
      it.peer.notify('before', {});
      context.respond('now');
      it.peer.notify('after', {});
      return Promise.reject(late);
    });
    it.peer.start();
    it.send(request(1, 'subscribe'));
    expect(it.sent).toMatchObject([{ method: 'before' }, { id: 1, result: 'now' }, { method: 'after' }]);
    await settle(it);
    expect(it.sent).toHaveLength(3);
    expect(it.errors).toEqual([late]);
  });

  test('sendResponse takes every answer in place of the transport', () => {
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

  test('the fallback hooks get what has no handler', () => {
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

describe('order', () => {
  test('[WIRE-6] what comes behind an unsettled request or notification waits, and keeps its order', async () => {
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

  test('[WIRE-6] a concurrent request starts behind ordered ones and holds up nothing', async () => {
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

  test('[WIRE-6] answers to own requests are taken while an ordered handler waits for them', async () => {
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
    expect(it.closed).toEqual([{ code: 1008, reason: 'too many unanswered messages' }]);
    expect(it.peer.closeInfo?.code).toBe(1008);
  });

  test('concurrent requests count as unanswered', () => {
    const it = raw({ maxQueued: 2 });
    it.peer.handle('hang', () => new Promise(() => undefined), { concurrent: true });
    it.peer.start();
    for (let id = 0; id < 3; id++) it.send(request(id, 'hang'));
    expect(it.closed).toMatchObject([{ code: 1008 }]);
  });

  test('a long backlog of synchronous messages is no recursion', async () => {
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
});

describe('own requests', () => {
  interface Math {
    requests: { add: { params: { a: number; b: number }; result: number } };
    notifications: { log: { line: string } };
  }

  test('[WIRE-5] both ends ask each other with ids of their own', async () => {
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

  test('an error answer rejects with RpcError, its data kept', async () => {
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

  test('an aborted request rejects with an AbortError and unhooks its signal', async () => {
    const timers = new ManualTimers();
    const it = raw({ timers });
    it.peer.start();
    const controller = new AbortController();
    const waiting = it.peer.request('x', {}, { signal: controller.signal, timeoutMs: 5 });
    controller.abort('user');
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError', cause: 'user' });
    expect(timers.armed.size).toBe(0);
    await expect(it.peer.request('x', {}, { signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(it.pair.bToA.count).toBe(1);
  });

  test('onResult takes an answer before the frames behind it, and what it throws rejects', async () => {
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

  test('params that cannot be written reject and leave nothing behind', async () => {
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

  test('close from this side is reported at once and only once, here and there', () => {
    const closes: unknown[] = [];
    const it = raw({ onClose: (info) => closes.push(info) });
    it.peer.start();
    it.peer.close(4001, 'replaced');
    it.peer.close();
    expect(closes).toEqual([{ code: 4001, reason: 'replaced' }]);
    it.pair.deliverAll();
    expect(it.closed).toEqual([{ code: 4001, reason: 'replaced' }]);
  });

  test('a handler that first asks for its signal after the end sees it aborted', async () => {
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
