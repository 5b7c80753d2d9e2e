import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { HostStream } from '@agenthost/client/stream';
import { errorText, hasCode } from '@agenthost/protocol/values';
import { withoutOwnSecrets } from '../process/own-secrets.ts';
import { type Greeting, readGreeting } from './link-greeting.ts';
import { linkArguments, type SshTarget } from './ssh-arguments.ts';
import { SshFailure, sshFailure } from './ssh-failure.ts';

/** Longest text in front of the greeting, such as that of a login shell, and longest kept error text, in bytes. */
const MAX_TEXT_BYTES = 64 * 1024;
/** Time to read the last output of `ssh` after it has exited. */
const LAST_WORDS_MS = 1_000;
const KILL_GRACE_MS = 2_000;

/**
 * Opens a byte stream to the host of another machine. `onGreeting` gets the greeting of that machine. Rejects with an `SshFailure`, or with the reason
 * of the signal. The end of the stream ends `ssh`, and the end of `ssh` ends the stream.
 */
export async function openSshLink(
  target: SshTarget,
  signal: AbortSignal,
  onGreeting?: (greeting: Greeting) => void,
): Promise<HostStream> {
  signal.throwIfAborted();
  const child = spawn('ssh', linkArguments(target), {
    // The config of `ssh` may run programs, or send variables to the other machine.
    env: withoutOwnSecrets(target.env),
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C in this terminal would end it before the command has ended its turn.
    detached: true,
  });
  const ended = endOf(child);
  const stop = (): void => endChild(child);
  try {
    const { greeting, rest } = await greeted(target, child, { ended, signal });
    if (greeting.url === undefined)
      throw new SshFailure(`no host runs on ${target.destination}`, { isAbsent: true });
    onGreeting?.(greeting);
    child.stdout.unshift(rest);
    const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
    stream.once('close', stop);
    // The WebSocket handles errors while it is open; before and after that, an error means the same as the end.
    stream.on('error', () => undefined);
    return { stream, url: greeting.url, token: greeting.token };
  } catch (error) {
    stop();
    throw error;
  }
}

type SshProcess = ChildProcessByStdio<Writable, Readable, Readable>;

interface ProcessEnd {
  readonly code: number | undefined;
  readonly said: string;
  /** Why the process could not be started. Absent: it was started. */
  readonly failure?: Error;
}

/** The end of the process with the last part of its stderr. Never rejects. */
function endOf(child: SshProcess): Promise<ProcessEnd> {
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MAX_TEXT_BYTES);
  });
  // A process that has ended takes no input. Its exit has the reason.
  child.stdin.on('error', () => undefined);
  return new Promise((resolve) => {
    child.once('error', (failure) => resolve({ code: undefined, said, failure }));
    const finish = (code: number | null): void => resolve({ code: code ?? undefined, said });
    child.once('close', finish);
    // A shared connection of `ssh` may keep the streams open.
    child.once(
      'exit',
      (code) => void wait(LAST_WORDS_MS, undefined, { ref: false }).then(() => finish(code)),
    );
  });
}

async function greeted(
  target: SshTarget,
  child: SshProcess,
  { ended, signal }: { readonly ended: Promise<ProcessEnd>; readonly signal: AbortSignal },
): Promise<{ greeting: Greeting; rest: Buffer }> {
  const { destination } = target;
  const { stdout } = child;
  let bytes = Buffer.alloc(0);
  const leave: (() => void)[] = [];
  try {
    return await new Promise((resolve, reject) => {
      const onData = (chunk: Buffer): void => {
        bytes = Buffer.concat([bytes, chunk]);
        const found = readGreeting(bytes);
        if (found !== undefined) resolve(found);
        else if (bytes.length > MAX_TEXT_BYTES)
          reject(new SshFailure(`${destination} sent an answer that is not from agenthost`));
      };
      const onAbort = (): void => reject(signal.reason);
      stdout.on('data', onData);
      signal.addEventListener('abort', onAbort, { once: true });
      leave.push(
        () => stdout.off('data', onData).pause(),
        () => signal.removeEventListener('abort', onAbort),
      );
      void ended.then(({ failure, ...end }) => {
        if (failure === undefined) reject(sshFailure(target, { ...end, printed: bytes.toString('utf8') }));
        else if (hasCode(failure, 'ENOENT'))
          reject(new SshFailure('the program ssh is required and not installed', { cause: failure }));
        else reject(new SshFailure(`cannot start ssh: ${errorText(failure)}`, { cause: failure }));
      });
    });
  } finally {
    for (const each of leave) each();
  }
}

function endChild(child: SshProcess): void {
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
  if (child.exitCode !== null || child.signalCode !== null || !child.kill('SIGTERM')) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), KILL_GRACE_MS);
  child.once('exit', () => clearTimeout(timer));
}
