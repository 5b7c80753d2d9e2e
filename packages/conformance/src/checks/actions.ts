import { check } from '../kit/check.ts';
import { Violation } from '../kit/verdict.ts';
import { shown } from '../recording/entry.ts';
import { titleOf } from './subscribe.ts';

/** Dispatches, echoes and rejections. */
export const actionChecks = [
  check(
    'ACT-1 ACT-2',
    'an action reaches every subscriber under one number, with its origin',
    async (bench) => {
      const [writer, reader] = [await bench.connect(), await bench.connect()];
      const { session } = await bench.session(writer);
      await reader.subscribe(session);
      const title = `shared ${bench.newId()}`;
      const echo = await writer.accepted(session, { type: 'session/titleChanged', title });
      const seen = await reader.envelope(
        ({ channel, action }) => channel === session && action['title'] === title,
        'the action at the other subscriber',
      );
      if (seen.serverSeq !== echo.serverSeq)
        throw new Violation(`one envelope has the numbers ${echo.serverSeq} and ${seen.serverSeq}`, [
          echo.frame,
          seen.frame,
        ]);
      if (seen.origin?.['clientId'] !== writer.clientId)
        throw new Violation(`expected origin.clientId ${writer.clientId}, got ${shown(seen.origin)}`, [
          seen.frame,
        ]);
    },
  ),
  check('ACT-2', 'a dispatcher that is not subscribed gets the echo', async (bench) => {
    const [owner, writer] = [await bench.connect(), await bench.connect()];
    const { session } = await bench.session(owner);
    await writer.accepted(session, { type: 'session/titleChanged', title: 'from outside' });
  }),
  check(
    'ACT-3',
    'an action that only the host may dispatch is rejected, to its sender alone, and changes nothing',
    async (bench) => {
      const [writer, reader] = [await bench.connect(), await bench.connect()];
      const { session } = await bench.session(writer);
      await reader.subscribe(session);
      const { serverSeq } = await writer.rejected(session, {
        type: 'session/creationFailed',
        error: { errorType: 'kit', message: 'kit' },
      });
      await writer.settle();
      await reader.settle();
      const leaked = reader.envelopes.find(
        (envelope) => envelope.serverSeq === serverSeq || envelope.rejectionReason !== undefined,
      );
      if (leaked !== undefined) throw new Violation('another client got the rejection', [leaked.frame]);
      const { state, frame } = await reader.subscribe(session);
      if (state['creationError'] !== undefined)
        throw new Violation('the rejected action changed the state', [frame]);
    },
  ),
  check('ACT-3', 'an unknown type is rejected', async (bench) => {
    const client = await bench.connect();
    const { session } = await bench.session(client);
    await client.rejected(session, { type: 'session/kitUnknown' });
  }),
  check('ACT-3', 'an action of another kind of channel is rejected', async (bench) => {
    const client = await bench.connect();
    const { session } = await bench.session(client);
    await client.rejected(session, { type: 'terminal/cleared' });
  }),
  check('ACT-3', 'an action whose payload does not fit is rejected and changes nothing', async (bench) => {
    const client = await bench.connect();
    const { session } = await bench.session(client);
    const before = titleOf((await client.subscribe(session)).state);
    await client.rejected(session, { type: 'session/titleChanged', title: { not: 'a text' } });
    const { state, frame } = await client.subscribe(session);
    if (titleOf(state) !== before) throw new Violation('the rejected action changed the title', [frame]);
  }),
  check('ACT-4', 'an action on a channel that does not exist is ignored without an echo', async (bench) => {
    const client = await bench.connect();
    const clientSeq = client.dispatch(`ahp-session:/kit-${bench.newId()}`, {
      type: 'session/titleChanged',
      title: 'x',
    });
    await client.settle();
    const echo = client.envelopes.find(({ origin }) => origin?.['clientSeq'] === clientSeq);
    if (echo !== undefined)
      throw new Violation('the host echoed an action on an unknown channel', [echo.frame]);
  }),
];
