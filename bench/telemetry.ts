import { pathToFileURL } from 'node:url';
import type { Host } from '@agenthost/host';
import type { ChatAction } from '@agenthost/protocol';
import type { Sink } from '../packages/host/src/sync/subscription.ts';
import { Telemetry } from '../packages/host/src/telemetry/telemetry.ts';
import { alternate, type Measured } from './bar.ts';
import { benchHost, withHost } from './host.ts';
import { withFolder } from './process.ts';
import { newSession } from './wire.ts';

/** Turns of one run. Each has ten actions in as many commits. */
const TURNS = 150;
const TOOL_CALLS = 2;
const TOKENS = 9_600;
/** Tokens of one commit, as from a fast model. */
const BATCH = 16;
/** Runs before the first that counts: code is compiled in them. */
const WARM_RUNS = 4;

interface Place {
  readonly host: Host;
  readonly chat: string;
}

/**
 * Processor time of a commit and of a streamed token with telemetry, against the same host without it, journal on disk. First while nobody reads
 * telemetry, then with a subscriber of traces, logs and metrics.
 */
export async function telemetry(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    const off = await silenced(() => startPlace(folder, 'off'));
    const on = await startPlace(folder, 'on');
    try {
      const results = await compare('nobody reads', { on, off }, { commit: 1.05, token: 1.05 });
      const leave = subscribe(on.place.host);
      try {
        results.push(...(await compare('one subscriber', { on, off }, { commit: 1.5, token: 1.05 })));
      } finally {
        leave();
      }
      return results;
    } finally {
      await Promise.all([off.stop(), on.stop()]);
    }
  });
}

interface OpenPlace {
  readonly place: Place;
  stop(): Promise<void>;
}

/** Starts a host with one session in `folder`, and keeps it until `stop`. */
async function startPlace(folder: string, name: string): Promise<OpenPlace> {
  const { promise: isDone, resolve: end } = Promise.withResolvers<void>();
  const { promise: place, resolve: ready, reject: failed } = Promise.withResolvers<Place>();
  const stopped = withHost(benchHost(`${folder}/${name}`), async ({ host, client }) => {
    const { chat } = await newSession(client, pathToFileURL(folder).href);
    await host.core.sync.registry.load(chat);
    ready({ host, chat });
    await isDone;
  });
  stopped.catch(failed);
  return {
    place: await place,
    stop: () => {
      end();
      return stopped;
    },
  };
}

/** Runs `start` with hosts that register no observers of telemetry. */
async function silenced<T>(start: () => Promise<T>): Promise<T> {
  const { observe } = Telemetry.prototype;
  Telemetry.prototype.observe = () => undefined;
  try {
    return await start();
  } finally {
    Telemetry.prototype.observe = observe;
  }
}

/** Subscribes a connection that reads at once. Returns a function that unsubscribes. */
function subscribe({ core: { telemetry: at } }: Host): () => void {
  const sink: Sink = {
    envelope: () => undefined,
    frame: () => undefined,
    // What a connection does with a notification: it is encoded once.
    notification: ({ text }) => void text.length,
  };
  for (const channel of ['traces', 'logs/info', 'metrics'])
    at.channels.subscribe(`ahp-otlp://${channel}`, sink, { scope: 'admin', isResumed: false });
  return () => at.channels.leave(sink);
}

async function compare(
  name: string,
  { on, off }: { readonly on: OpenPlace; readonly off: OpenPlace },
  atMost: { readonly commit: number; readonly token: number },
): Promise<Measured[]> {
  const results: Measured[] = [];
  for (const [unit, run] of [
    ['commit', playTurns],
    ['token', streamTokens],
  ] as const) {
    for (let count = 0; count < WARM_RUNS; count += 1) {
      await run(on.place);
      await run(off.place);
    }
    const { ours, baseline, ratio } = await alternate(
      () => run(on.place),
      () => run(off.place),
    );
    results.push({
      name: `telemetry, ${name}: a ${unit}`,
      figure: `${ours.toFixed(2)} µs`,
      baseline: `${baseline.toFixed(2)} µs`,
      ratio,
      bar: { atMost: atMost[unit] },
    });
  }
  return results;
}

/** Microseconds of processor time that `work` takes for each of `count`. */
async function microsecondsEach(count: number, work: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

/** Turns with tool calls, each action in a commit of its own. */
function playTurns(place: Place): Promise<number> {
  const actionsOf = (): ChatAction[] => turnActions(crypto.randomUUID());
  return microsecondsEach(TURNS * actionsOf().length, async () => {
    for (let turn = 0; turn < TURNS; turn += 1)
      for (const action of actionsOf()) await commit(place, [action]);
  });
}

async function streamTokens(place: Place): Promise<number> {
  const turnId = crypto.randomUUID();
  const [started, part] = turnActions(turnId);
  if (started === undefined || part === undefined) throw new Error('a turn has no actions');
  await commit(place, [started, part]);
  const delta = { type: 'chat/delta', turnId, partId: 'part', content: 'and on ' } as const;
  const each = await microsecondsEach(TOKENS, async () => {
    for (let done = 0; done < TOKENS; done += BATCH)
      await commit(
        place,
        Array.from({ length: BATCH }, () => ({ ...delta })),
      );
  });
  await commit(place, [{ type: 'chat/turnComplete', turnId, duration: 0 }]);
  return each;
}

function turnActions(turnId: string): ChatAction[] {
  const message = { text: 'a turn', origin: { kind: 'user' as const } };
  const calls = Array.from({ length: TOOL_CALLS }, (_, index): ChatAction[] => {
    const call = { turnId, toolCallId: `${turnId}-${index}` };
    return [
      { type: 'chat/toolCallStart', ...call, toolName: 'shell', displayName: 'Shell' },
      { type: 'chat/toolCallReady', ...call, invocationMessage: 'Run', confirmed: 'not-needed' },
      { type: 'chat/toolCallComplete', ...call, result: { success: true, pastTenseMessage: 'Ran' } },
    ];
  });
  return [
    { type: 'chat/turnStarted', turnId, startedAt: new Date().toISOString(), message },
    { type: 'chat/responsePart', turnId, part: { kind: 'markdown', id: 'part', content: 'Text.' } },
    ...calls.flat(),
    { type: 'chat/usage', turnId, usage: { inputTokens: 100, outputTokens: 20, model: 'model' } },
    { type: 'chat/turnComplete', turnId, duration: 0 },
  ];
}

async function commit({ host, chat: uri }: Place, actions: readonly ChatAction[]): Promise<void> {
  const { sync } = host.core;
  const chat = sync.registry.getOf('chat', uri);
  if (chat === undefined) throw new Error(`${uri} is not in memory`);
  for (const action of actions) sync.transact('host', (tx) => tx.emit(chat, action));
  await sync.path.drain();
}
