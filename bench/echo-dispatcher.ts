// Sends at a steady rate to a host and to a bare WebSocket alternately, and times each echo.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { serve } from './process.ts';
import { newSession, WireClient } from './wire.ts';

type Request =
  /** Answers with one frame that the host echoed. */
  | { kind: 'open'; url: string; folder: string }
  /** Sends `count` messages to each side, `perSecond` a second. */
  | { kind: 'run'; bareUrl: string; count: number; perSecond: number };

let client: WireClient | undefined;
let chat = '';

async function answer(request: Request): Promise<unknown> {
  if (request.kind === 'open') {
    client = await WireClient.connect(request.url, 'dispatcher');
    ({ chat } = await newSession(client, request.folder));
    await client.request('subscribe', { channel: chat });
    const at = client;
    return { frame: await new Promise<string>((resolve) => dispatch(at, 0, resolve)) };
  }
  if (client === undefined) throw new Error('open first');
  const bare = new WebSocket(request.bareUrl, { perMessageDeflate: false });
  await once(bare, 'open');
  const [at, halfMs] = [client, 500 / request.perSecond];
  const ours: number[] = [];
  const baseline: number[] = [];
  for (let index = 0; index < request.count; index += 1) {
    ours.push(await timed((done) => dispatch(at, index, done), halfMs));
    baseline.push(await timed((done) => ping(bare, index, done), halfMs));
  }
  bare.close();
  return { ours, baseline };
}

const frameOf = (index: number): object => ({
  type: 'chat/draftChanged',
  draft: { text: `a message of ${index} words, as somebody types it`, origin: { kind: 'user' } },
});

/** Changes the draft, as a client does at each keystroke. */
function dispatch(at: WireClient, index: number, done: (frame: string) => void): void {
  at.takeOver((frame) => {
    const text = frame.toString();
    if (JSON.parse(text).params?.action?.type === 'chat/draftChanged') done(text);
  });
  at.dispatch(chat, frameOf(index));
}

function ping(socket: WebSocket, index: number, done: (frame: string) => void): void {
  socket.once('message', (frame) => {
    const text = String(frame);
    if (JSON.parse(text).params?.action !== undefined) done(text);
  });
  const params = { channel: chat, clientSeq: index, action: frameOf(index) };
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'dispatchAction', params }));
}

/** Measures the milliseconds until `done`. Resolves when the next message is due. */
async function timed(send: (done: () => void) => void, everyMs: number): Promise<number> {
  const next = new Promise((resolve) => setTimeout(resolve, everyMs));
  const startedAt = performance.now();
  const ms = await new Promise<number>((resolve) => send(() => resolve(performance.now() - startedAt)));
  await next;
  return ms;
}

serve(answer, () => client?.close());
