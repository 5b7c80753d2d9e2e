import { describe, expect, test } from 'vitest';
import { raw, request } from '../test/raw-peer.ts';

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
    [
      'an id that is too long to repeat in an answer',
      JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(513), method: 'echo' }),
      refused(-32600, null),
    ],
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

  test('keys like __proto__ change no prototype and reach the handler unchanged', () => {
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

  test('a frame at the nesting limit is accepted', () => {
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

  test('a frame with too many entries is refused unparsed, and brackets in its strings do not count', () => {
    const it = raw({ maxElements: 100 });
    it.peer.handle('echo', () => 'ok');
    it.peer.start();
    it.send(request(1, 'echo', ['[{,'.repeat(200)]));
    it.send(
      request(
        2,
        'echo',
        Array.from({ length: 101 }, () => []),
      ),
    );
    expect(it.sent).toMatchObject([
      { id: 1, result: 'ok' },
      { id: 2, error: { code: -32600, message: expect.stringContaining('at most 100 entries') } },
    ]);
  });

  test('a frame of maximum length that repeats a member a million times is refused like any invalid frame', () => {
    const it = raw({ maxElements: 100 });
    it.peer.start();
    it.send(`{${'"method":"",'.repeat(1_390_000)}`);
    expect(it.sent).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });
});
