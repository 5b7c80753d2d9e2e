import type { TerminalHandle } from '@agenthost/client';
import { errorText } from '@agenthost/protocol/values';
import { withHost } from '../../host-link/connect.ts';
import type { HostOptions } from '../../host-link/find-host.ts';
import { watchConnection } from '../../host-link/host-watch.ts';
import { findTerminal } from '../../input/ids.ts';
import type { Context } from '../../process/context.ts';
import { CliError, EXIT, usageError } from '../../process/exit.ts';
import { Interruption } from '../../process/interruption.ts';
import { oneLine } from '../../render/plain-text.ts';
import type { Screen } from '../../render/screen.ts';
import { FileFilter } from '../../term/display-filter.ts';

/** Options of `term wait` as parsed. */
export interface TermWaitOptions extends HostOptions {
  readonly exit?: boolean;
  /** ms. */
  readonly idle?: number;
  readonly text?: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly json?: boolean;
}

/** Text that is kept for a match that begins in earlier output, in UTF-16 units. */
const MAX_TEXT_LENGTH = 64 * 1024;

/** `term wait`: until a terminal has ended, is quiet, or shows a text. */
export async function waitForTerminal(
  context: Context,
  screen: Screen,
  given: string,
  options: TermWaitOptions,
): Promise<number> {
  const kinds = [options.exit, options.idle, options.text].filter((kind) => kind !== undefined);
  if (kinds.length > 1) throw usageError('--exit, --idle and --text cannot be used together');
  const pattern = options.text === undefined ? undefined : patternOf(options.text);
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findTerminal(client, given);
    const terminal = await client.terminal(resource);
    const interruption = new Interruption(context);
    const leave = watchConnection(client, screen, (reason) => interruption.stop(reason));
    const timeout = stopAfter(options.timeout, interruption);
    screen.status(`waiting for terminal ${oneLine(given)}`);
    const waiting = new Wait(terminal, { pattern, idleMs: options.idle });
    try {
      const end = await Promise.race([waiting.done, aborted(interruption)]);
      if (end !== 'stopped') {
        if (options.json === true) screen.json({ ...end, terminal: resource });
        return end.type === 'exited' ? end.exitCode : EXIT.done;
      }
      const { reason } = interruption;
      if (reason?.message !== undefined) throw new CliError(reason.exitCode, reason.message);
      return reason?.exitCode ?? EXIT.interrupted;
    } finally {
      screen.status(undefined);
      waiting.dispose();
      clearTimeout(timeout);
      leave();
      interruption.dispose();
    }
  });
}

/** Ends a command with the exit code of timeouts after so many seconds. */
function stopAfter(seconds: number | undefined, interruption: Interruption): NodeJS.Timeout | undefined {
  if (seconds === undefined) return undefined;
  const message = `timed out after ${seconds} s`;
  return setTimeout(() => interruption.stop({ exitCode: EXIT.timedOut, message }), seconds * 1_000);
}

/** Resolves when a command has to stop. */
function aborted({ signal }: Interruption): Promise<'stopped'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('stopped');
    else signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text, 'mu');
  } catch (cause) {
    throw usageError(`--text: ${oneLine(errorText(cause))}`);
  }
}

/** Result of waiting. */
type Found = { readonly type: 'exited'; readonly exitCode: number } | { readonly type: 'idle' | 'text' };

/** Follows a terminal until what is waited for has come. */
class Wait {
  readonly done: Promise<Found>;
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    terminal: TerminalHandle,
    { pattern, idleMs }: { pattern?: RegExp | undefined; idleMs?: number | undefined },
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<Found>();
    this.done = promise;
    const filter = new FileFilter(false);
    let text = '';
    const see = (output: string): void => {
      if (idleMs !== undefined) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => resolve({ type: 'idle' }), idleMs);
      }
      if (pattern === undefined) return;
      text = (text + filter.next(output)).slice(-MAX_TEXT_LENGTH);
      if (pattern.test(text)) resolve({ type: 'text' });
    };
    this.#stop = terminal.attach({
      onOutput: see,
      onReset: (content) => {
        text = '';
        see(content);
      },
    });
    terminal.exited.then(
      (exitCode) => {
        // An ended process writes no more output.
        if (pattern === undefined)
          resolve(idleMs === undefined ? { type: 'exited', exitCode } : { type: 'idle' });
        else if (pattern.test(text + filter.rest())) resolve({ type: 'text' });
        else
          reject(
            new CliError(EXIT.error, `the process exited with code ${exitCode} before the text appeared`),
          );
      },
      () => reject(new CliError(EXIT.error, 'the terminal was removed')),
    );
    promise.catch(() => undefined);
  }

  dispose(): void {
    this.#stop();
    clearTimeout(this.#timer);
  }
}
