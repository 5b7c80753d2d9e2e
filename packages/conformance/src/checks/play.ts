import { type Bench, isAtLeast } from '../kit/bench.ts';
import { Violation } from '../kit/verdict.ts';
import type { Envelope, RawClient } from '../link/raw-client.ts';
import { isObject, type Message } from '../recording/entry.ts';

/** A client that follows a chat of the scripted agent. */
export interface Stage {
  readonly client: RawClient;
  readonly session: string;
  readonly chat: string;
}

/** A session with the scripted agent, and its chat. */
export async function stage(bench: Bench): Promise<Stage> {
  bench.needsScript();
  const client = await bench.connect();
  const { session, chat } = await bench.readySession(client);
  await client.subscribe(chat);
  return { client, session, chat };
}

/** The action that starts a turn. */
export function turnStarted(
  bench: Bench,
  text: string,
  more: object = {},
): Message & { readonly turnId: string } {
  return {
    type: 'chat/turnStarted',
    turnId: `kit-${bench.newId()}`,
    message: { text, origin: { kind: 'user' } },
    ...(isAtLeast(bench.version, '0.6.0') && { startedAt: new Date().toISOString() }),
    ...more,
  };
}

/** The action that cancels a turn. */
export const turnCancelled = (bench: Bench, turnId: string): object => ({
  type: 'chat/turnCancelled',
  turnId,
  ...(isAtLeast(bench.version, '0.6.0') && { duration: 5 }),
});

const ENDS = ['chat/turnComplete', 'chat/turnCancelled', 'chat/error'];

/** Waits for the end of a turn. */
export const turnEnd = ({ client, chat }: Stage, turnId: string): Promise<Envelope> =>
  client.envelope(
    ({ channel, action, rejectionReason }) =>
      channel === chat &&
      rejectionReason === undefined &&
      ENDS.includes(String(action['type'])) &&
      action['turnId'] === turnId,
    `the end of turn ${turnId}`,
  );

/** Runs a script to its end; returns the id of the turn. */
export async function playTurn(bench: Bench, on: Stage, text: string): Promise<string> {
  const action = turnStarted(bench, text);
  await on.client.accepted(on.chat, action);
  await turnEnd(on, action.turnId);
  return action.turnId;
}

/** The chat's present state. */
export const stateOf = async ({ client, chat }: Stage): Promise<Message> =>
  (await client.subscribe(chat)).state;

/** The last completed turn of a state. */
export function lastTurn(state: Message): Message {
  const turns: readonly unknown[] = Array.isArray(state['turns']) ? state['turns'] : [];
  const last = turns.at(-1);
  if (!isObject(last)) throw new Violation('the chat has no turn');
  return last;
}

/** Parts of a turn. */
export const partsOf = (turn: Message): readonly Message[] =>
  Array.isArray(turn['responseParts']) ? turn['responseParts'].filter(isObject) : [];
