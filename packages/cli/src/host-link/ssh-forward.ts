import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { errorText, hasCode } from '@agenthost/protocol/values';
import { withoutOwnSecrets } from '../process/own-secrets.ts';
import { type ForwardedPort, forwardArguments, type SshTarget } from './ssh-arguments.ts';
import { SshFailure, sshFailure } from './ssh-failure.ts';

const POLL_INTERVAL_MS = 100;
const MAX_TEXT_BYTES = 16 * 1024;
const KILL_GRACE_MS = 2_000;

/** Loopback names. A host that listens on one of them answers requests for both. Browsers keep the sign-ins of the two apart. */
const LOOPBACK = ['127.0.0.1', '[::1]'];

/** A loopback address at which the port is free; `undefined` if there is none. */
export async function freeLoopback(port: number): Promise<string | undefined> {
  for (const name of LOOPBACK) if (await isFree(name, port)) return name;
  return undefined;
}

async function isFree(name: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ host: bare(name), port, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'EAFNOSUPPORT')) return false;
    throw error;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/**
 * Forwards a port with `ssh` until the signal aborts. `onReady` is called when the port is open. Rejects with an `SshFailure` when `ssh` ends by
 * itself, and resolves after the signal.
 */
export async function forwardPort(
  target: SshTarget,
  forwarded: ForwardedPort,
  { signal, onReady }: { readonly signal: AbortSignal; onReady(): void },
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
  const watching = untilOpen(forwarded, over.signal).then((isOpen) => {
    if (isOpen) onReady();
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

/** `ssh` opens the port when it has signed in. */
async function untilOpen({ localHost, port }: ForwardedPort, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await isOpen(localHost, port)) return !signal.aborted;
    await wait(POLL_INTERVAL_MS);
  }
  return false;
}

function isOpen(name: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: bare(name), port });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

const bare = (name: string): string => name.replace(/^\[(.*)\]$/, '$1');
