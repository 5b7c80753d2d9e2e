import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { errorText } from '@agenthost/protocol/values';
import { withoutOwnSecrets } from '../process/own-secrets.ts';
import type { LoopbackPort } from './loopback-port.ts';
import { type ForwardedPort, forwardArguments, type SshTarget } from './ssh-arguments.ts';
import { SshFailure, sshFailure } from './ssh-failure.ts';

const POLL_INTERVAL_MS = 100;
const MAX_TEXT_BYTES = 16 * 1024;
const KILL_GRACE_MS = 2_000;

/** A local port, and the port of the other machine that it leads to. */
export interface PortForward extends Omit<ForwardedPort, 'socketFile'> {
  readonly local: LoopbackPort;
}

/**
 * Forwards the connections of a local port with `ssh` until the signal aborts. `onReady` is called when `ssh` has signed in. Rejects with an `SshFailure`
 * when `ssh` ends by itself, and resolves after the signal.
 *
 * `ssh` listens on a socket file in a private folder. On a port, another user of this machine could listen before `ssh` does, and get the token of the page.
 */
export async function forwardPort(
  target: SshTarget,
  { local, ...remote }: PortForward,
  { signal, onReady }: { readonly signal: AbortSignal; onReady(): void },
): Promise<void> {
  if (signal.aborted) return;
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-ssh-'));
  const forwarded = { ...remote, socketFile: join(folder, 'port') };
  const onOpen = (): void => {
    local.forwardTo(forwarded.socketFile);
    onReady();
  };
  try {
    await runSsh(target, forwarded, { signal, onOpen });
  } finally {
    local.forwardTo(undefined);
    await rm(folder, { recursive: true, force: true });
  }
}

async function runSsh(
  target: SshTarget,
  forwarded: ForwardedPort,
  { signal, onOpen }: { readonly signal: AbortSignal; onOpen(): void },
): Promise<void> {
  if (signal.aborted) return;
  const child = spawn('ssh', forwardArguments(target, forwarded), {
    // The config of `ssh` may run programs, or send variables to the other machine.
    env: withoutOwnSecrets(target.env),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let said = '';
  let failure: Error | undefined;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MAX_TEXT_BYTES);
  });
  const ended = new Promise<number | undefined>((resolve) => {
    child.once('error', (error) => {
      failure = error;
      resolve(undefined);
    });
    child.once('close', (code) => resolve(code ?? undefined));
  });
  let killer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    killer = setTimeout(() => child.kill('SIGKILL'), KILL_GRACE_MS);
  };
  signal.addEventListener('abort', stop, { once: true });
  const over = new AbortController();
  const watching = untilOpen(forwarded.socketFile, over.signal).then((isOpen) => {
    if (isOpen) onOpen();
  });
  try {
    const code = await ended;
    if (signal.aborted) return;
    if (failure !== undefined)
      throw new SshFailure(`cannot start ssh: ${errorText(failure)}`, { cause: failure });
    throw sshFailure(target, { code, said, printed: '' });
  } finally {
    over.abort();
    clearTimeout(killer);
    signal.removeEventListener('abort', stop);
    await watching;
  }
}

/** `ssh` opens the socket file when it has signed in. */
async function untilOpen(socketFile: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await isOpen(socketFile)) return !signal.aborted;
    await wait(POLL_INTERVAL_MS);
  }
  return false;
}

function isOpen(socketFile: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketFile);
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
