import { expect, test } from 'vitest';
import type { Sync } from '../../sync/sync.ts';
import { Contents } from './contents.ts';
import { PastTraces } from './past-traces.ts';

const TURN_MS = 60_000;
/** Envelopes of a turn: its start, streamed text, a tool call, its end. */
const EACH = 40;
const CHAT = 'ahp-chat:/long';
const SESSION = 'ahp-session:/one';

const nameOf = (turn: number): string => `turn-${turn}`;
const startOf = (turn: number): number => turn * TURN_MS;

function actionAt(seq: number): object {
  const turn = Math.floor((seq - 1) / EACH);
  const turnId = nameOf(turn);
  const call = { turnId, toolCallId: `call-${turn}` };
  switch ((seq - 1) % EACH) {
    case 0:
      return {
        type: 'chat/turnStarted',
        turnId,
        startedAt: new Date(startOf(turn)).toISOString(),
        message: { text: '', origin: { kind: 'user' } },
      };
    case 1:
    case 31:
      return {
        type: 'chat/responsePart',
        turnId,
        part: { kind: 'markdown', id: `part-${seq}`, content: '' },
      };
    case 20:
      return { type: 'chat/toolCallStart', ...call, toolName: 'shell', displayName: 'Shell' };
    case 21:
      return { type: 'chat/toolCallReady', ...call, invocationMessage: 'Run', confirmed: 'not-needed' };
    case 30:
      return { type: 'chat/toolCallComplete', ...call, result: { success: true, pastTenseMessage: 'Ran' } };
    case EACH - 1:
      return { type: 'chat/turnComplete', turnId, duration: TURN_MS / 2 };
    default:
      return { type: 'chat/delta', turnId, partId: 'part', content: 'and on it goes' };
  }
}

/** A chat of many turns, the envelopes of which begin with turn `firstKept`. Nothing of it is stored: its rows follow from their numbers. */
function longChat(turnCount: number, firstKept: number) {
  let rowCount = 0;
  const last = turnCount * EACH;
  const turnAt = (ordinal: number): string =>
    JSON.stringify({
      id: nameOf(ordinal),
      message: { text: '', origin: { kind: 'user' } },
      responseParts: [],
      state: 'complete',
      startedAt: new Date(startOf(ordinal)).toISOString(),
      duration: TURN_MS / 2,
      usage: { inputTokens: 5, outputTokens: 3 },
    });
  const channel = {
    uri: CHAT,
    seq: last,
    session: SESSION,
    state: { turns: [] },
    is: (kind: string) => kind === 'chat',
  };
  const journal = {
    findTurn: async (_: string, id: string) => {
      const ordinal = Number(id.slice('turn-'.length));
      return ordinal < turnCount ? ordinal : undefined;
    },
    readTurns: async (_: string, { before }: { before: number }) => {
      rowCount += 1;
      return [{ ordinal: before - 1, json: turnAt(before - 1) }];
    },
    readEnvelopesAfter: async (_: string, after: number, bytes: number) => {
      const rows: { seq: number; time: number; json: string }[] = [];
      let size = 0;
      for (let seq = Math.max(after, firstKept * EACH) + 1; seq <= last && size < bytes; seq += 1) {
        const turn = Math.floor((seq - 1) / EACH);
        const json = JSON.stringify({ channel: CHAT, serverSeq: seq, action: actionAt(seq) });
        rows.push({ seq, time: startOf(turn) + ((seq - 1) % EACH) * 500, json });
        size += json.length;
      }
      rowCount += rows.length;
      return rows;
    },
  };
  const sync = {
    registry: { load: async (uri: string) => (uri === CHAT ? channel : undefined), getOf: () => undefined },
    journal,
    afterCommit: async () => undefined,
    path: { nextTurn: async () => undefined },
  };
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the parts of it that a trace reads
  const traces = new PastTraces({
    sync: sync as unknown as Sync,
    clock: { now: () => startOf(turnCount) },
    contents: new Contents(false),
  });
  return {
    traces,
    rows: () => {
      const count = rowCount;
      rowCount = 0;
      return count;
    },
  };
}

test('a trace of a chat of 50,000 turns reads about as many rows as one of 50 turns', async () => {
  const counts = [];
  for (const turnCount of [50, 50_000]) {
    const { traces, rows } = longChat(turnCount, 0);
    const spans = await traces.read(CHAT, nameOf(turnCount / 2));
    expect(spans.map(({ name }) => name)).toEqual([
      'execute_tool shell',
      'chat',
      'chat',
      'invoke_agent unknown',
    ]);
    counts.push(rows());
  }
  const [few = 0, many = 0] = counts;
  expect(many).toBeLessThan(4_000);
  expect(many).toBeLessThan(few * 3);
});

test('of a turn whose envelopes are gone there is only its own span, and later turns are not searched for it', async () => {
  const { traces, rows } = longChat(50_000, 40_000);
  const spans = await traces.read(CHAT, nameOf(7));
  expect(spans).toMatchObject([
    {
      role: 'turn',
      startMs: startOf(7),
      endMs: startOf(7) + TURN_MS / 2,
      attributes: { 'gen_ai.usage.input_tokens': 5, 'ahp.turn.outcome': 'complete' },
    },
  ]);
  // Two pages of half a megabyte, and not the 400,000 rows behind them.
  expect(rows()).toBeLessThan(10_000);
});

test('a turn that does not exist, and a chat that does not, are errors', async () => {
  const { traces } = longChat(5, 0);
  await expect(traces.read(CHAT, nameOf(9))).rejects.toMatchObject({ code: -32008 });
  await expect(traces.read('ahp-chat:/none', nameOf(1))).rejects.toMatchObject({ code: -32008 });
});
