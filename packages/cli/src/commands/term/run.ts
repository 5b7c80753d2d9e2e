import { withHost } from '../../host-link/connect.ts';
import type { HostTarget } from '../../host-link/find-host.ts';
import { watchConnection } from '../../host-link/host-watch.ts';
import type { Context } from '../../process/context.ts';
import { CliError, EXIT, usageError } from '../../process/exit.ts';
import type { StopReason } from '../../process/interruption.ts';
import { commandLine } from '../../process/own-command.ts';
import type { Screen } from '../../render/screen.ts';
import { CommandOutput } from '../../term/command-output.ts';
import { giveBack } from '../../term/holding.ts';
import { createTerminal, demandProgram, type NewTerminalOptions, wantedTerminal } from './new.ts';

/** Options of `term run` as parsed. */
export interface TermRunOptions extends NewTerminalOptions {
  readonly keep?: boolean;
  /** Seconds. */
  readonly timeout?: number;
  readonly raw?: boolean;
  readonly shell?: boolean;
}

/** `term run`: a command in a terminal of its own: its output here, its exit code ours. */
export async function runInTerminal(
  context: Context,
  screen: Screen,
  words: readonly string[],
  options: TermRunOptions,
): Promise<number> {
  if (words.length === 0) throw usageError(`a command is required: ${commandLine('term run -- make test')}`);
  demandProgram(words);
  const wanted = wantedTerminal(context, options);
  return withHost(context, screen, options, async (connected) => {
    const { client, target } = connected;
    const command = options.shell === true ? [shellOf(context, target), '-c', words.join(' ')] : words;
    const terminal = await createTerminal(context, connected, { ...wanted, command });
    const stopping = Promise.withResolvers<StopReason>();
    const undo = [
      watchConnection(client, screen, stopping.resolve),
      // Ctrl-C goes to the command. A command that has just ended takes no signal.
      context.onSignal(['SIGINT'], () => void terminal.signal('INT').catch(() => undefined)),
      context.onSignal(['SIGTERM', 'SIGHUP'], () => stopping.resolve({ exitCode: EXIT.interrupted })),
      forwardSize(context, (cols, rows) => void terminal.resize(cols, rows)),
      timeLimit(options.timeout, stopping.resolve),
    ];
    const gone = (): void => stopping.resolve({ exitCode: EXIT.interrupted });
    context.outputClosed.addEventListener('abort', gone, { once: true });
    undo.push(() => context.outputClosed.removeEventListener('abort', gone));
    const output = new CommandOutput(context, screen, options.raw === true);
    undo.push(
      terminal.attach({
        onOutput: (text) => output.write(text),
        onReset: (content, place) => output.continueIn(content, place),
      }),
    );
    try {
      const end = await Promise.race([terminal.exited, stopping.promise]);
      if (typeof end === 'number') return end;
      if (end.message !== undefined) throw new CliError(end.exitCode, end.message);
      return end.exitCode;
    } finally {
      for (const back of undo) back();
      output.end();
      // Without a connection, the terminal cannot be removed.
      if (client.status.state === 'online') {
        await (options.keep === true ? giveBack(terminal, undefined) : terminal.dispose());
      }
    }
  });
}

/** The user's own shell on this machine; elsewhere the one that every system has. */
const shellOf = ({ env }: Context, { isOwn }: HostTarget): string => (isOwn && env['SHELL']) || '/bin/sh';

function timeLimit(seconds: number | undefined, stop: (reason: StopReason) => void): () => void {
  if (seconds === undefined) return () => undefined;
  const message = `timed out after ${seconds} s`;
  const timer = setTimeout(() => stop({ exitCode: EXIT.timedOut, message }), seconds * 1_000);
  return () => clearTimeout(timer);
}

function forwardSize({ stdout }: Context, tell: (cols: number, rows: number) => void): () => void {
  const resized = (): void => {
    const { columns, rows } = stdout;
    if (columns && rows) tell(columns, rows);
  };
  stdout.on('resize', resized);
  return () => void stdout.off('resize', resized);
}
