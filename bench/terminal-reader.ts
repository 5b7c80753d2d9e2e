// Runs one command on a pty and reads all its output, from the pty itself or as a client of a host.
import { spawn } from '@lydell/node-pty';
import { serve } from './process.ts';
import { WireClient } from './wire.ts';

type Request = { command: string[]; cwd: string; url?: string };

/** The bytes read (UTF-8; the command puts out ASCII only), and the time since the start of the command. */
interface Read {
  readonly bytes: number;
  readonly ms: number;
}

function answer({ command, cwd, url }: Request): Promise<Read> {
  return url === undefined ? direct(command, cwd) : throughHost(command, url);
}

function direct([program = '', ...args]: string[], cwd: string): Promise<Read> {
  const startedAt = performance.now();
  // Reads bytes, the fastest way.
  const pty = spawn(program, args, { cols: 80, rows: 24, cwd, encoding: null });
  let bytes = 0;
  pty.onData((data) => {
    bytes += data.length;
  });
  return new Promise((resolve) => pty.onExit(() => resolve({ bytes, ms: performance.now() - startedAt })));
}

async function throughHost(command: string[], url: string): Promise<Read> {
  const clientId = `reader-${crypto.randomUUID()}`;
  const client = await WireClient.connect(url, clientId);
  const channel = `ahp-terminal:/${crypto.randomUUID()}`;
  const gate = `${channel.slice(-36)} and go`;
  // The command starts after the subscription, so that every byte comes as output and none in a snapshot.
  const waiting = ['/bin/sh', '-c', 'stty -echo; read gate; exec "$@"', gate, ...command];
  await client.request('createTerminal', {
    channel,
    claim: { kind: 'client', clientId },
    'x-command': waiting,
  });
  await client.request('subscribe', { channel });
  let bytes = 0;
  const startedAt = performance.now();
  const done = new Promise<Read>((resolve, reject) => {
    client.socket.on('close', (code) => reject(new Error(`the host closed the connection: ${code}`)));
    client.takeOver((frame) => {
      const { params } = JSON.parse(frame.toString());
      if (params?.channel !== channel) return;
      if (params.action.type === 'terminal/data') bytes += params.action.data.length;
      if (params.action.type === 'terminal/exited') resolve({ bytes, ms: performance.now() - startedAt });
    });
  });
  client.dispatch(channel, { type: 'terminal/input', data: '\r' });
  const read = await done;
  const closing = await WireClient.connect(url, clientId);
  await closing.request('disposeTerminal', { channel });
  await closing.close();
  return read;
}

serve(answer, () => undefined);
