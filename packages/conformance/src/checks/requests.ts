import { isAtLeast } from '../kit/bench.ts';
import { check } from '../kit/check.ts';
import { Violation } from '../kit/verdict.ts';
import { isObject, type Message, shown } from '../recording/entry.ts';
import { lastTurn, partsOf, type Stage, stage, stateOf, turnEnd, turnStarted } from './play.ts';

const NEEDS_INPUT = 24;
const ACTIVITY = 31;

/** Starts a script whose tool call asks; returns the ids. */
async function asked(
  on: Stage,
  action: Message & { readonly turnId: string },
): Promise<{ turnId: string; toolCallId: unknown }> {
  await on.client.accepted(on.chat, action);
  const ready = await on.client.envelope(
    (envelope) =>
      envelope.channel === on.chat &&
      envelope.action['type'] === 'chat/toolCallReady' &&
      envelope.action['confirmed'] === undefined,
    'a tool call that asks',
  );
  return { turnId: action.turnId, toolCallId: ready.action['toolCallId'] };
}

const callIn = (turn: unknown): unknown =>
  isObject(turn) ? partsOf(turn).find(({ kind }) => kind === 'toolCall')?.['toolCall'] : undefined;

/** Approvals and questions of the scripted agent. */
export const requestChecks = [
  check(
    'CHAT-7 CHAT-10',
    'an approved tool call runs and completes; the chat waits until then',
    async (bench) => {
      const on = await stage(bench);
      const call = await asked(on, turnStarted(bench, 'ask'));
      const { status, activeTurn } = await stateOf(on);
      if ((Number(status) & ACTIVITY) !== NEEDS_INPUT)
        throw new Violation(`the status is ${shown(status)}`, on.client.frames.slice(-2));
      const waiting = callIn(activeTurn);
      if (!isObject(waiting) || waiting['status'] !== 'pending-confirmation')
        throw new Violation('the tool call is not pending', on.client.frames.slice(-2));
      await on.client.accepted(on.chat, {
        type: 'chat/toolCallConfirmed',
        ...call,
        approved: true,
        confirmed: 'user-action',
      });
      await turnEnd(on, call.turnId);
      const done = callIn(lastTurn(await stateOf(on)));
      if (!isObject(done) || done['status'] !== 'completed')
        throw new Violation('the tool call did not complete', on.client.frames.slice(-2));
    },
  ),
  check('CHAT-7', 'a denied tool call is cancelled', async (bench) => {
    const on = await stage(bench);
    const call = await asked(on, turnStarted(bench, 'ask'));
    await on.client.accepted(on.chat, {
      type: 'chat/toolCallConfirmed',
      ...call,
      approved: false,
      reason: 'denied',
    });
    await turnEnd(on, call.turnId);
    const done = callIn(lastTurn(await stateOf(on)));
    if (!isObject(done) || done['status'] !== 'cancelled')
      throw new Violation('the tool call was not cancelled', on.client.frames.slice(-2));
  }),
  check('CHAT-8', 'a decision that comes too late is rejected', async (bench) => {
    const on = await stage(bench);
    const call = await asked(on, turnStarted(bench, 'ask'));
    const decision = { type: 'chat/toolCallConfirmed', ...call, approved: true, confirmed: 'user-action' };
    await on.client.accepted(on.chat, decision);
    await turnEnd(on, call.turnId);
    await on.client.rejected(on.chat, decision);
  }),
  check(
    'SESS-7 SESS-25',
    'a session lists the approval that a chat waits for, until it is given',
    async (bench) => {
      bench.needs('0.5.1');
      const on = await stage(bench);
      const call = await asked(on, turnStarted(bench, 'ask'));
      const { serverSeq } = await on.client.action(on.session, 'session/inputNeededSet');
      await on.client.accepted(on.chat, {
        type: 'chat/toolCallConfirmed',
        ...call,
        approved: true,
        confirmed: 'user-action',
      });
      await on.client.action(on.session, 'session/inputNeededRemoved', serverSeq);
    },
  ),
  check(
    'CHAT-13 CHAT-27 CHAT-28',
    'a question is open until it is answered, and its answer stays in the turn',
    async (bench) => {
      const on = await stage(bench);
      const action = turnStarted(bench, 'question text required');
      await on.client.accepted(on.chat, action);
      const requested = await on.client.action(on.chat, 'chat/inputRequested');
      const request = requested.action['request'];
      if (!isObject(request)) throw new Violation('chat/inputRequested has no request', [requested.frame]);
      const state = await stateOf(on);
      const open = isAtLeast(bench.version, '0.6.0')
        ? isObject(state['activeTurn'])
          ? partsOf(state['activeTurn']).find(({ kind }) => kind === 'inputRequest')
          : undefined
        : Array.isArray(state['inputRequests'])
          ? state['inputRequests'][0]
          : undefined;
      if (!isObject(open) || open['response'] !== undefined)
        throw new Violation('the open question is not in the state', on.client.frames.slice(-2));
      const completed = { type: 'chat/inputCompleted', requestId: request['id'], response: 'accept' };
      await on.client.rejected(on.chat, completed);
      const questions: readonly unknown[] = Array.isArray(request['questions']) ? request['questions'] : [];
      const [question] = questions;
      const answers = {
        [isObject(question) ? shown(question['id']) : '']: {
          state: 'submitted',
          value: { kind: 'text', value: 'a kit' },
        },
      };
      await on.client.accepted(on.chat, { ...completed, answers });
      await turnEnd(on, action.turnId);
      if (!isAtLeast(bench.version, '0.5.2')) return;
      const part = partsOf(lastTurn(await stateOf(on))).find(({ kind }) => kind === 'inputRequest');
      if (part?.['response'] !== 'accept')
        throw new Violation('the answered question is not in the turn', on.client.frames.slice(-2));
      await on.client.rejected(on.chat, { ...completed, answers });
    },
  ),
];
