import { check } from '../kit/check.ts';
import { Violation } from '../kit/verdict.ts';
import { ROOT } from '../link/raw-client.ts';
import { isObject, type Message, shown } from '../recording/entry.ts';

/** The title in a session's state, at every version. */
export function titleOf(state: Message): unknown {
  const { title, summary } = state;
  return isObject(summary) ? summary['title'] : title;
}

/** Renamings while another client subscribes. */
const RENAMINGS = 30;

/** Subscriptions and their snapshots. */
export const subscribeChecks = [
  check('SUB-1', 'a subscription to the root returns its state', async (bench) => {
    const { state, frame } = await (await bench.connect()).subscribe(ROOT);
    if (!Array.isArray(state['agents'])) throw new Violation('the root state has no list `agents`', [frame]);
  }),
  check(
    'SUB-1',
    'an unknown channel cannot be subscribed: -32001 for a session, -32008 for others',
    async (bench) => {
      const client = await bench.connect();
      const id = bench.newId();
      await client.refused('subscribe', { channel: `ahp-session:/kit-${id}` }, -32001, -32008);
      await client.refused('subscribe', { channel: `ahp-chat:/kit-${id}` }, -32008);
      await client.refused('subscribe', { channel: `ahp-terminal:/kit-${id}` }, -32008);
    },
  ),
  check('SUB-1 CONN-2', 'a new snapshot reflects everything up to its number', async (bench) => {
    const client = await bench.connect();
    const { session } = await bench.session(client);
    const title = `fresh ${bench.newId()}`;
    const { serverSeq } = await client.accepted(session, { type: 'session/titleChanged', title });
    const { state, fromSeq, frame } = await client.subscribe(session);
    if (fromSeq < serverSeq)
      throw new Violation(`the snapshot is of ${fromSeq}, and ${serverSeq} was sent before`, [frame]);
    if (titleOf(state) !== title)
      throw new Violation(`expected the title ${title}, got ${shown(titleOf(state))}`, [frame]);
  }),
  check(
    'CONN-2 SUB-1',
    'no envelope is lost or repeated between a snapshot and the stream',
    async (bench) => {
      const [writer, reader] = [await bench.connect(), await bench.connect()];
      const { session } = await bench.session(writer);
      for (let count = 0; count < RENAMINGS; count += 1)
        writer.dispatch(session, { type: 'session/titleChanged', title: `title ${count}` });
      const { fromSeq } = await reader.subscribe(session);
      for (let count = 0; count < RENAMINGS; count += 1)
        writer.dispatch(session, { type: 'session/titleChanged', title: `late ${count}` });
      await writer.settle();
      await reader.settle();
      const numbers = (client: typeof reader): number[] =>
        client.envelopes
          .filter(
            ({ channel, serverSeq, rejectionReason }) =>
              channel === session && serverSeq > fromSeq && rejectionReason === undefined,
          )
          .map(({ serverSeq }) => serverSeq);
      const [sent, got] = [numbers(writer), numbers(reader)];
      const lost = sent.filter((number) => !got.includes(number));
      if (lost.length > 0)
        throw new Violation(
          `a subscriber did not get ${lost.join(', ')} after its snapshot of ${fromSeq}`,
          reader.frames.slice(-8),
        );
      if (new Set(got).size !== got.length)
        throw new Violation('an envelope came twice', reader.frames.slice(-8));
    },
  ),
  check(
    'SUB-2',
    'after unsubscribe nothing comes from the channel but echoes of own dispatches',
    async (bench) => {
      const [writer, reader] = [await bench.connect(), await bench.connect()];
      const { session } = await bench.session(writer);
      await reader.subscribe(session);
      reader.unsubscribe(session);
      await reader.settle();
      const { serverSeq } = await writer.accepted(session, { type: 'session/titleChanged', title: 'unseen' });
      await reader.settle();
      const late = reader.envelopes.find(
        (envelope) => envelope.channel === session && envelope.serverSeq >= serverSeq,
      );
      if (late !== undefined) throw new Violation('an envelope came after unsubscribe', [late.frame]);
      await reader.accepted(session, { type: 'session/titleChanged', title: 'own' });
    },
  ),
];
