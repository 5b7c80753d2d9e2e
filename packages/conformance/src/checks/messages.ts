import { check } from '../kit/check.ts';
import { Violation } from '../kit/verdict.ts';
import { type RawClient, ROOT } from '../link/raw-client.ts';
import { isObject, shown } from '../recording/entry.ts';

/** Sends a broken frame and expects an error with this code and id, and a connection that goes on. */
async function answered(client: RawClient, text: string, code: number, id: unknown = null): Promise<void> {
  const before = client.frames.length;
  client.sendText(text);
  const frame = await client.until(
    () =>
      client.frames
        .slice(before)
        .find(({ direction, message }) => direction === 'host-to-client' && message?.['error'] !== undefined),
    `the error ${code}`,
  );
  const error = frame.message?.['error'];
  if (!isObject(error) || error['code'] !== code)
    throw new Violation(`expected the error ${code}, got ${shown(error)}`, [frame]);
  if (frame.message?.['id'] !== id)
    throw new Violation(`expected the id ${shown(id)}, got ${shown(frame.message?.['id'])}`, [frame]);
  await client.settle();
}

/** Frames, ids and errors of JSON-RPC. */
export const messageChecks = [
  check('WIRE-3', 'a frame that is not JSON is answered with -32700 and the id null', async (bench) => {
    await answered(await bench.connect(), '{"jsonrpc":"2.0","id":1,', -32700);
  }),
  check('WIRE-3', 'a message without method, result and error is answered with -32600', async (bench) => {
    await answered(await bench.connect(), '{"jsonrpc":"2.0","id":77}', -32600, 77);
  }),
  check('WIRE-3', 'a batch is answered with -32600', async (bench) => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping', params: { channel: ROOT } };
    await answered(await bench.connect(), JSON.stringify([ping]), -32600);
  }),
  check('WIRE-3', 'an unknown method is answered with -32601', async (bench) => {
    await (await bench.connect()).refused('kitNoSuchMethod', {}, -32601);
  }),
  check('WIRE-3', 'params of a wrong type are answered with -32602', async (bench) => {
    await (await bench.connect()).refused('subscribe', { channel: 5 }, -32602);
  }),
  check('WIRE-3', 'a response to nothing is ignored', async (bench) => {
    const client = await bench.connect();
    client.send({ jsonrpc: '2.0', id: 'kit-nothing', result: {} });
    await client.settle();
    const answer = client.frames.find(
      ({ direction, message }) => direction === 'host-to-client' && message?.['id'] === 'kit-nothing',
    );
    if (answer !== undefined) throw new Violation('the host answered a response', [answer]);
  }),
  check('WIRE-3', 'an answer has the id of its request, a number or a text', async (bench) => {
    const client = await bench.connect();
    await client.request('ping', {}, 'kit-text-id');
    await client.request('ping', {}, 987_654);
  }),
  check('WIRE-4', 'a ping is answered before the handshake', async (bench) => {
    await (await bench.open()).settle();
  }),
  check('WIRE-4', 'another request before the handshake is answered with -32600', async (bench) => {
    await (await bench.open()).refused('listSessions', {}, -32600);
  }),
  check('WIRE-4', 'a ping is answered after the echoes of earlier dispatches', async (bench) => {
    const client = await bench.connect();
    const { session } = await bench.session(client);
    const clientSeq = client.dispatch(session, { type: 'session/titleChanged', title: 'ping order' });
    await client.settle();
    const echo = client.envelopes.find(({ origin }) => origin?.['clientSeq'] === clientSeq);
    if (echo === undefined)
      throw new Violation('the ping was answered before the echo', client.frames.slice(-6));
  }),
  check('WIRE-20', 'params of a request may carry `_meta` with unknown keys', async (bench) => {
    bench.needs('0.8.0');
    await (await bench.connect()).call('listSessions', { _meta: { 'kit.unknown': [1, { two: true }] } });
  }),
  check('WIRE-2', 'unknown members of params are ignored', async (bench) => {
    await (await bench.connect()).call('subscribe', { channel: ROOT, kitUnknown: 1 });
  }),
];
