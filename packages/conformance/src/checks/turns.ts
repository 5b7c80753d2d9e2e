import { isAtLeast } from '../kit/bench.ts';
import { check } from '../kit/check.ts';
import { NotApplicable, Violation } from '../kit/verdict.ts';
import { isObject, shown } from '../recording/entry.ts';
import { lastTurn, partsOf, playTurn, stage, stateOf, turnCancelled, turnEnd, turnStarted } from './play.ts';

/** Turns of the scripted agent. */
export const turnChecks = [
  check('CHAT-4 CHAT-5', 'appends add up to the text of the finished turn', async (bench) => {
    const on = await stage(bench);
    const turnId = await playTurn(bench, on, 'say one two three');
    const appended = on.client.envelopes
      .filter(({ channel, action }) => channel === on.chat && action['turnId'] === turnId)
      .map(({ action }) => {
        if (action['type'] === 'chat/delta') return action['content'];
        const part = action['type'] === 'chat/responsePart' ? action['part'] : undefined;
        return isObject(part) && part['kind'] === 'markdown' ? part['content'] : '';
      })
      .join('');
    const held = partsOf(lastTurn(await stateOf(on)))
      .flatMap((part) => (part['kind'] === 'markdown' ? [part['content']] : []))
      .join('');
    if (appended !== held || !held.includes('one two three'))
      throw new Violation(
        `appended ${shown(appended)}, and the turn has ${shown(held)}`,
        on.client.frames.slice(-6),
      );
  }),
  check('CHAT-3', 'a turn is rejected while another one is active, and so is a used id', async (bench) => {
    const on = await stage(bench);
    const action = turnStarted(bench, 'hang');
    await on.client.accepted(on.chat, action);
    await on.client.rejected(on.chat, turnStarted(bench, 'say second'));
    await on.client.accepted(on.chat, turnCancelled(bench, action.turnId));
    await on.client.rejected(on.chat, {
      ...action,
      message: { text: 'say again', origin: { kind: 'user' } },
    });
  }),
  check('CHAT-5 CHAT-10', 'a cancelled turn ends once, and the chat is idle', async (bench) => {
    const on = await stage(bench);
    const action = turnStarted(bench, 'hang');
    await on.client.accepted(on.chat, action);
    await on.client.accepted(on.chat, turnCancelled(bench, action.turnId));
    await on.client.rejected(on.chat, turnCancelled(bench, action.turnId));
    const state = await stateOf(on);
    if (lastTurn(state)['state'] !== 'cancelled' || state['activeTurn'] !== undefined)
      throw new Violation('the turn did not end as cancelled', on.client.frames.slice(-2));
    if ((Number(state['status']) & 31) !== 1)
      throw new Violation(`the status is ${shown(state['status'])}`, on.client.frames.slice(-2));
  }),
  check('CHAT-20', 'a turn has the time of its start and its duration', async (bench) => {
    bench.needs('0.6.0');
    const on = await stage(bench);
    const action = turnStarted(bench, 'say timed');
    await on.client.accepted(on.chat, action);
    const end = await turnEnd(on, action.turnId);
    if (typeof end.action['duration'] !== 'number')
      throw new Violation('the end of the turn has no duration', [end.frame]);
    const { startedAt, duration } = lastTurn(await stateOf(on));
    if (startedAt !== action['startedAt'] || typeof duration !== 'number')
      throw new Violation(
        `startedAt ${shown(startedAt)}, duration ${shown(duration)}`,
        on.client.frames.slice(-2),
      );
  }),
  check('CHAT-20', 'a start that is no time is rejected', async (bench) => {
    bench.needs('0.6.0');
    const on = await stage(bench);
    await on.client.rejected(on.chat, turnStarted(bench, 'say late', { startedAt: 'yesterday' }));
  }),
  check('CHAT-21', 'a chat changes its time at the start and at the end of a turn only', async (bench) => {
    bench.needs('0.9.0');
    const on = await stage(bench);
    const action = turnStarted(bench, 'say timed');
    await on.client.accepted(on.chat, action);
    const end = await turnEnd(on, action.turnId);
    const { modifiedAt } = await stateOf(on);
    if (typeof end.action['duration'] !== 'number')
      throw new Violation('the end of the turn has no duration', [end.frame]);
    const expected = new Date(Date.parse(shown(action['startedAt'])) + end.action['duration']).toISOString();
    if (modifiedAt !== expected)
      throw new Violation(
        `expected modifiedAt ${expected}, got ${shown(modifiedAt)}`,
        on.client.frames.slice(-2),
      );
  }),
  check('CHAT-22', 'a failed turn ends with an error part', async (bench) => {
    bench.needs('0.9.0');
    const on = await stage(bench);
    const turnId = await playTurn(bench, on, 'fail on purpose');
    const end = await turnEnd(on, turnId);
    const { part } = end.action;
    if (!isObject(part) || part['kind'] !== 'error')
      throw new Violation('chat/error has no error part', [end.frame]);
    const turn = lastTurn(await stateOf(on));
    if (turn['state'] !== 'error' || partsOf(turn).at(-1)?.['kind'] !== 'error')
      throw new Violation('the last part of the failed turn is no error part', on.client.frames.slice(-2));
  }),
  check('CHAT-22 CONN-9', 'a client before 0.9 sees the error of a turn beside its parts', async (bench) => {
    if (isAtLeast(bench.version, '0.9.0')) throw new NotApplicable('it belongs to versions before 0.9.0');
    const on = await stage(bench);
    const end = await turnEnd(on, await playTurn(bench, on, 'fail on purpose'));
    if (!isObject(end.action['error'])) throw new Violation('chat/error has no `error`', [end.frame]);
    const turn = lastTurn(await stateOf(on));
    if (!isObject(turn['error']) || partsOf(turn).some(({ kind }) => kind === 'error'))
      throw new Violation('the turn has an error part or no `error`', on.client.frames.slice(-2));
  }),
  check('CHAT-23', 'a turn that did not fail cannot be resumed', async (bench) => {
    bench.needs('0.9.0');
    const on = await stage(bench);
    const turnId = await playTurn(bench, on, 'say done');
    await on.client.rejected(on.chat, { type: 'chat/turnResume', turnId });
  }),
  check('CHAT-6 CHAT-24', 'truncation keeps the turns up to the one named', async (bench) => {
    const on = await stage(bench);
    const first = await playTurn(bench, on, 'say first');
    await playTurn(bench, on, 'say second');
    await on.client.accepted(on.chat, { type: 'chat/truncated', turnId: first });
    const state = await stateOf(on);
    const ids = Array.isArray(state['turns'])
      ? state['turns'].map((turn) => (isObject(turn) ? turn['id'] : turn))
      : [];
    if (shown(ids) !== shown([first]))
      throw new Violation(`expected the turn ${first} alone, got ${shown(ids)}`, on.client.frames.slice(-2));
  }),
  check('CHAT-12', 'a queued message starts when the turn completes', async (bench) => {
    const on = await stage(bench);
    const action = turnStarted(bench, 'wait 300\nsay first');
    await on.client.accepted(on.chat, action);
    const id = `kit-${bench.newId()}`;
    const message = { text: 'say queued', origin: { kind: 'user' } };
    await on.client.accepted(on.chat, { type: 'chat/pendingMessageSet', kind: 'queued', id, message });
    const next = await on.client.envelope(
      (envelope) => envelope.channel === on.chat && envelope.action['queuedMessageId'] === id,
      'a turn for the queued message',
    );
    const removed = on.client.envelopes.findIndex(
      ({ action: each }) => each['type'] === 'chat/pendingMessageRemoved' && each['id'] === id,
    );
    const started = on.client.envelopes.findIndex(({ serverSeq }) => serverSeq === next.serverSeq);
    if (removed < 0 || removed > started)
      throw new Violation('the queued message was not removed before its turn', [next.frame]);
  }),
];
