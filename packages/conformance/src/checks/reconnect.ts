import type { Bench } from '../kit/bench.ts';
import { check } from '../kit/check.ts';
import { Violation } from '../kit/verdict.ts';
import type { RawClient } from '../link/raw-client.ts';
import { isObject, type Message, shown } from '../recording/entry.ts';

/** Connects a known client again. */
async function again(
  bench: Bench,
  client: RawClient,
  { lastSeenServerSeq, subscriptions }: { lastSeenServerSeq: number; subscriptions: readonly string[] },
): Promise<{ result: Message; client: RawClient }> {
  client.close();
  const next = await bench.open(client.clientId);
  const result = await next.call('reconnect', {
    clientId: client.clientId,
    lastSeenServerSeq,
    subscriptions,
  });
  return { result, client: next };
}

const listIn = (result: Message, name: string): readonly unknown[] =>
  Array.isArray(result[name]) ? result[name] : [];

/** Reconnections of known and unknown clients. */
export const reconnectChecks = [
  check('CONN-5', 'a reconnect brings exactly the envelopes that were missed', async (bench) => {
    const [writer, reader] = [await bench.connect(), await bench.connect()];
    const { session } = await bench.session(writer);
    await reader.subscribe(session);
    const { serverSeq } = await writer.accepted(session, { type: 'session/titleChanged', title: 'seen' });
    await reader.settle();
    reader.close();
    const missed = [];
    for (const title of ['missed 1', 'missed 2'])
      missed.push((await writer.accepted(session, { type: 'session/titleChanged', title })).serverSeq);
    const { result, client } = await again(bench, reader, {
      lastSeenServerSeq: serverSeq,
      subscriptions: [session],
    });
    if (result['type'] === 'snapshot') {
      const [snapshot] = listIn(result, 'snapshots');
      if (!isObject(snapshot) || Number(snapshot['fromSeq']) < Math.max(...missed))
        throw new Violation('neither a replay nor a fresh snapshot', client.frames);
      return;
    }
    const numbers = listIn(result, 'actions').flatMap((each) =>
      isObject(each) &&
      each['channel'] === session &&
      isObject(each['action']) &&
      each['action']['type'] === 'session/titleChanged'
        ? [each['serverSeq']]
        : [],
    );
    if (shown(numbers) !== shown(missed))
      throw new Violation(`expected the numbers ${shown(missed)}, got ${shown(numbers)}`, client.frames);
  }),
  check('CONN-5', 'after a reconnect the stream goes on', async (bench) => {
    const [writer, reader] = [await bench.connect(), await bench.connect()];
    const { session } = await bench.session(writer);
    const { fromSeq } = await reader.subscribe(session);
    const { client } = await again(bench, reader, { lastSeenServerSeq: fromSeq, subscriptions: [session] });
    const { serverSeq } = await writer.accepted(session, { type: 'session/titleChanged', title: 'after' });
    await client.action(session, 'session/titleChanged', serverSeq - 1);
  }),
  check('CONN-5', 'a reconnect names the channels that are gone', async (bench) => {
    const [writer, reader] = [await bench.connect(), await bench.connect()];
    const { session } = await bench.session(writer);
    const { fromSeq } = await reader.subscribe(session);
    reader.close();
    await writer.request('disposeSession', { channel: session });
    const { result, client } = await again(bench, reader, {
      lastSeenServerSeq: fromSeq,
      subscriptions: [session],
    });
    const isNamed = listIn(result, 'missing').includes(session);
    const isLeftOut = result['type'] === 'snapshot' && listIn(result, 'snapshots').length === 0;
    if (!isNamed && !isLeftOut)
      throw new Violation('the disposed session is not in `missing`', client.frames);
  }),
  check('CONN-5', 'a number that the host has not reached is answered with snapshots', async (bench) => {
    const client = await bench.connect();
    const { session } = await bench.session(client);
    const { result, client: next } = await again(bench, client, {
      lastSeenServerSeq: Number.MAX_SAFE_INTEGER,
      subscriptions: [session],
    });
    if (result['type'] !== 'snapshot')
      throw new Violation(`expected snapshots, got ${shown(result['type'])}`, next.frames);
  }),
  check('CONN-7', 'an unknown client is given snapshots, or told -32008', async (bench) => {
    const client = await bench.open();
    const { result, error, frame } = await client.request('reconnect', {
      clientId: client.clientId,
      lastSeenServerSeq: 0,
      subscriptions: [],
    });
    if (error === undefined && (!isObject(result) || result['type'] !== 'snapshot'))
      throw new Violation('expected snapshots', [frame]);
    if (error !== undefined) {
      client.expectCode({ error, frame }, 'reconnect', -32008);
      await client.call('initialize', bench.initializeParams(client));
    }
  }),
];
