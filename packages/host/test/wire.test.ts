import { turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { ROOT, SESSION, startHost } from './host-fixture.ts';
import { RawError } from './raw-client.ts';

const codeOf = async (answer: Promise<unknown>): Promise<number> => {
  try {
    await answer;
  } catch (error) {
    if (error instanceof RawError) return error.code;
    throw error;
  }
  throw new Error('it was answered without an error');
};

describe('requests', () => {
  test('[WIRE-20] params of every request may carry _meta with unknown keys', async () => {
    const host = await startHost();
    const client = host.connect();
    const _meta = { 'example.org/trace': { id: 1 }, n: null };
    await client.initialize({ _meta });
    await client.raw('ping', { channel: ROOT, _meta });
    await client.raw('createSession', { channel: SESSION, _meta });
    await client.raw('subscribe', { channel: SESSION, _meta });
    await client.raw('listSessions', { channel: ROOT, _meta });
    await client.raw('disposeSession', { channel: SESSION, _meta });
    expect(await codeOf(client.raw('ping', { channel: ROOT, _meta: 1 }))).toBe(-32602);
  });

  test('[WIRE-2] a connection-level method with another channel than the root, or with none, answers -32602', async () => {
    const host = await startHost();
    const client = await host.client();
    expect(await codeOf(client.raw('ping', { channel: SESSION }))).toBe(-32602);
    expect(await codeOf(client.raw('ping', {}))).toBe(-32602);
    expect(await codeOf(client.raw('listSessions', { channel: 'ahp-root:/' }))).toBe(-32602);
    await client.ping();
  });

  test.each([
    ['{"jsonrpc":"2.0","id":1,', -32700, null],
    ['[{"jsonrpc":"2.0","id":7,"method":"ping","params":{"channel":"ahp-root://"}}]', -32600, null],
    ['{"jsonrpc":"2.0","id":7}', -32600, 7],
    ['"ping"', -32600, null],
    ['{"jsonrpc":"2.0","id":7,"method":"noSuchMethod","params":{"channel":"ahp-root://"}}', -32601, 7],
    ['{"jsonrpc":"2.0","id":7,"method":"subscribe","params":{"channel":5}}', -32602, 7],
    ['{"jsonrpc":"2.0","id":7,"method":"subscribe"}', -32602, 7],
  ])(
    '[WIRE-3] %s is answered once with its code, and the connection stays usable',
    async (frame, code, id) => {
      const host = await startHost();
      const client = await host.client();
      client.clear();
      client.send(frame);
      await host.run();
      expect(client.frames.map(({ id: answered, error }) => [answered, error?.code])).toEqual([[id, code]]);
      await client.ping();
    },
  );

  test('[WIRE-3] responses without a request, and notifications of any kind, are never answered', async () => {
    const host = await startHost();
    const client = await host.client();
    client.clear();
    client.send({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } });
    client.send({ jsonrpc: '2.0', id: 99, result: {} });
    client.send({ jsonrpc: '2.0', method: 'noSuchNotification', params: { channel: ROOT } });
    client.send({ jsonrpc: '2.0', method: 'dispatchAction', params: { channel: 5 } });
    client.send({ jsonrpc: '2.0', method: 'unsubscribe', params: {} });
    await host.run();
    expect(client.frames).toEqual([]);
    await client.ping();
  });

  test('[WIRE-4] ping answers before the handshake, and everything else -32600', async () => {
    const host = await startHost();
    const client = host.connect();
    await client.ping();
    expect(await codeOf(client.request('listSessions', { channel: ROOT }))).toBe(-32600);
    expect(await codeOf(client.request('subscribe', { channel: ROOT }))).toBe(-32600);
    expect(await codeOf(client.raw('subscribe', { channel: 5 }))).toBe(-32600);
    await client.initialize();
    await client.request('listSessions', { channel: ROOT });
  });

  test('[WIRE-4] [ACT-8] a ping is answered after the echoes of everything that its sender sent before it', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat, session } = await host.session(client);
    client.clear();
    client.dispatch(session, { type: 'session/titleChanged', title: 'one' });
    client.dispatch(chat, turnStarted('t1'));
    client.dispatch(chat, turnStarted('t2'));
    const id = client.ask('ping', { channel: ROOT });
    await host.run();
    const at = client.frames.findIndex((frame) => frame.id === id);
    const own = client.frames
      .map(({ params }) => params?.origin?.clientSeq)
      .flatMap((clientSeq, index) => (clientSeq === undefined ? [] : [{ clientSeq, index }]));
    expect(own.map(({ clientSeq }) => clientSeq)).toEqual([1, 2, 3]);
    expect(own.every(({ index }) => index < at)).toBe(true);
  });

  test('[WIRE-6] dispatches take effect in the order sent, even if one needs a load from disk', async () => {
    const host = await startHost({ unloadAfterMs: 10_000 });
    const client = await host.client();
    const { session, chat } = await host.session(client);
    client.link.cut();
    await host.advance(60_000);
    expect(host.host.core.sync.registry.get(session), 'unloaded').toBeUndefined();
    const again = await host.client('again');
    again.clear();
    again.dispatch(chat, { type: 'chat/draftChanged', draft: { text: 'a', origin: { kind: 'user' } } });
    again.dispatch(ROOT, { type: 'root/configChanged', config: {} });
    again.dispatch(session, { type: 'session/titleChanged', title: 'b' });
    await again.ping();
    expect(again.envelopes().map(({ origin }) => origin?.clientSeq)).toEqual([1, 2, 3]);
  });

  test('[WIRE-6] a read request does not delay later ones', async () => {
    const host = await startHost();
    const client = await host.client();
    let release: () => void = () => undefined;
    host.journal.gates.afterRead = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const slow = client.ask('listSessions', { channel: ROOT });
    await client.ping();
    expect(client.answerTo(slow)).toBeUndefined();
    host.journal.gates.afterRead = undefined;
    release();
    await client.answered(slow);
  });
});
