import { type ActionEnvelope, type ChatState, reduceMirrored } from '@agenthost/protocol';
import { alternate, type Measured } from './bar.ts';

const TIME = Date.UTC(2026, 0, 1);
const DELTAS = 20_000;
const PARTS = 100;
const CALLS = 200;
const turnId = 'turn';
const channel = 'ahp-chat:/d4d2b8a5-b2f7-4f43-a9f4-6f1e1a6c9f10';

/** Cost of reducing an envelope, in the host and in a client's mirror, against `JSON.parse` of its frame, which every client needs. */
export async function reducers(): Promise<Measured[]> {
  return [
    await compare(`reduce ${DELTAS} deltas, not parse them`, [...deltas()], 0.5),
    await compare(`reduce ${CALLS} tool calls, not parse them`, [...toolCalls()], 2),
  ];
}

async function compare(
  name: string,
  actions: readonly ActionEnvelope['action'][],
  atMost: number,
): Promise<Measured> {
  const envelopes = actions.map(
    (action, index): ActionEnvelope => ({ channel, action, serverSeq: index, 'x-time': TIME + index }),
  );
  const frames = envelopes.map((params) => JSON.stringify({ jsonrpc: '2.0', method: 'action', params }));
  const reduce = (): number => microsecondsEach(envelopes.length, () => reduceAll(envelopes));
  const parse = (): number =>
    microsecondsEach(frames.length, () => {
      for (const frame of frames) JSON.parse(frame);
    });
  reduce();
  parse();
  const { ours, baseline, ratio } = await alternate(reduce, parse);
  const text = (us: number): string => `${us.toFixed(2)} µs`;
  return { name, figure: text(ours), baseline: text(baseline), ratio, bar: { atMost } };
}

/** Processor time, so that other load on the machine does not count. */
function microsecondsEach(count: number, work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function reduceAll(envelopes: readonly ActionEnvelope[]): void {
  let state: ChatState = {
    resource: channel,
    title: '',
    status: 1,
    modifiedAt: new Date(TIME).toISOString(),
    turns: [],
  };
  for (const { action } of envelopes) {
    const after = reduceMirrored('chat', state, action);
    if (after === state) throw new Error(`${action.type} changed nothing`);
    state = after;
  }
}

function* begin(): Iterable<ActionEnvelope['action']> {
  const message = { text: 'a long turn', origin: { kind: 'user' as const } };
  yield { type: 'chat/turnStarted', turnId, startedAt: new Date(TIME).toISOString(), message };
}

/** A long answer: the text of the last of 100 parts grows word by word. */
function* deltas(): Iterable<ActionEnvelope['action']> {
  yield* begin();
  for (let part = 0; part < PARTS; part += 1) {
    const id = `part-${part}`;
    yield { type: 'chat/responsePart', turnId, part: { kind: 'markdown', id, content: '' } };
  }
  const partId = `part-${PARTS - 1}`;
  for (let index = 0; index < DELTAS; index += 1)
    yield { type: 'chat/delta', turnId, partId, content: `[${index}] and on it goes. ` };
}

/** Tool calls one after another, each started, ready and complete. */
function* toolCalls(): Iterable<ActionEnvelope['action']> {
  yield* begin();
  for (let index = 0; index < CALLS; index += 1) {
    const toolCallId = `call-${index}`;
    const at = { turnId, toolCallId };
    yield { type: 'chat/toolCallStart', ...at, toolName: 'read', displayName: 'Read file' };
    yield {
      type: 'chat/toolCallReady',
      ...at,
      invocationMessage: 'Reading src/main.ts',
      toolInput: '{"path":"src/main.ts"}',
      confirmed: 'not-needed',
    };
    const result = { success: true, pastTenseMessage: 'Read src/main.ts' };
    yield { type: 'chat/toolCallComplete', ...at, result };
  }
}
