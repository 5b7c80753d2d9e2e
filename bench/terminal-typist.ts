// Types at a shell and waits for the echo of each key. The shell has a pty here, behind a bare WebSocket, or on a host.

import { once } from 'node:events';
import { spawn } from '@lydell/node-pty';
import { WebSocket } from 'ws';
import { serve } from './process.ts';
import { WireClient } from './wire.ts';

type Request =
  | { kind: 'open'; shell: string[]; cwd: string; relay?: string }
  /** A shell of the host at `url`: its default one. */
  | { kind: 'open'; url: string; version?: string }
  | { kind: 'type'; keys: number; gapMs: number };

/** A shell, local or remote. */
interface Keyboard {
  press(key: string): void;
  /** Ends the shell. */
  close(): Promise<void> | void;
  onOutput: (text: string) => void;
}

/** Keys between two clearings of the line. */
const LINE_LENGTH = 60;
const CLEAR_LINE = '\x15';

let keyboard: Keyboard | undefined;

async function answer(request: Request): Promise<unknown> {
  if (request.kind === 'type') return { latenciesMs: await type(request.keys, request.gapMs) };
  keyboard = await open(request);
  await quiet(keyboard);
  return {};
}

function open(request: Extract<Request, { kind: 'open' }>): Promise<Keyboard> | Keyboard {
  if ('url' in request) return remote(request.url, request.version);
  const { shell, cwd, relay } = request;
  return relay === undefined ? local(shell, cwd) : relayed(relay);
}

function local([program = '', ...args]: string[], cwd: string): Keyboard {
  const pty = spawn(program, args, { cols: 80, rows: 24, cwd });
  const opened: Keyboard = {
    press: (key) => pty.write(key),
    close: () => pty.kill(),
    onOutput: () => undefined,
  };
  pty.onData((text) => opened.onOutput(text));
  return opened;
}

async function relayed(url: string): Promise<Keyboard> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await once(socket, 'open');
  const opened: Keyboard = {
    press: (key) => socket.send(key),
    close: () => socket.close(),
    onOutput: () => undefined,
  };
  socket.on('message', (text) => opened.onOutput(String(text)));
  return opened;
}

async function remote(url: string, version?: string): Promise<Keyboard> {
  const clientId = `typist-${crypto.randomUUID()}`;
  const client = await WireClient.connect(url, clientId, version);
  const channel = `ahp-terminal:/${crypto.randomUUID()}`;
  await client.request('createTerminal', {
    channel,
    claim: { kind: 'client', clientId },
    cols: 80,
    rows: 24,
  });
  await client.request('subscribe', { channel });
  const opened: Keyboard = {
    press: (data) => client.dispatch(channel, { type: 'terminal/input', data }),
    close: async () => {
      const closing = await WireClient.connect(url, clientId, version);
      await closing.request('disposeTerminal', { channel });
      await closing.close();
    },
    onOutput: () => undefined,
  };
  client.takeOver((frame) => {
    const { params } = JSON.parse(frame.toString());
    if (params?.action?.type === 'terminal/data') opened.onOutput(params.action.data);
  });
  return opened;
}

/** Resolves when the shell has put out nothing for a while, and so waits for keys. */
function quiet(at: Keyboard): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(resolve, 500);
    at.onOutput = () => {
      clearTimeout(timer);
      timer = setTimeout(resolve, 500);
    };
  });
}

async function type(keys: number, gapMs: number): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (let index = 0; index < keys; index += 1) {
    if (index % LINE_LENGTH === 0) {
      keyboard?.press(CLEAR_LINE);
      await pause(50);
    }
    const key = String.fromCharCode(97 + (index % 26));
    latenciesMs.push(await echoOf(key));
    // Random gaps, so that keys do not come in step with a timer.
    await pause(gapMs * (0.5 + Math.random()));
  }
  return latenciesMs;
}

function echoOf(key: string): Promise<number> {
  return new Promise((resolve) => {
    const at = keyboard;
    if (at === undefined) throw new Error('open first');
    const startedAt = performance.now();
    at.onOutput = (text) => {
      if (text.includes(key)) resolve(performance.now() - startedAt);
    };
    at.press(key);
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

serve(answer, () => keyboard?.close());
