import type { LogsOptions } from '../commands/logs.ts';
import type { TraceOptions } from '../commands/trace.ts';
import type { CommandParts } from './command-builder.ts';
import type { OptionName } from './options.ts';

const OPTIONS: readonly OptionName[] = ['url', 'start', 'json', 'verbose'];

/** Adds `logs` and `trace`. */
export function addTelemetryCommands({
  context,
  screen,
  program,
  command,
  example,
  done,
}: CommandParts): void {
  const logs = command(program, 'logs', 'show the log of the host, and the steps of its turns', [
    'followLogs',
    'logsOf',
    'logLevel',
    'logLines',
    ...OPTIONS,
  ]).action(async (options: LogsOptions) => {
    const { showLogs } = await import('../commands/logs.ts');
    done(await showLogs(context, screen, options));
  });
  example(logs, [
    'agenthost logs  the last lines',
    'agenthost logs --follow --session 4f2a  turns, tool calls and waits of a session',
    'agenthost logs --level warn --json',
  ]);
  const trace = command(program, 'trace', 'show how long the steps of a turn took', ['traceChat', ...OPTIONS])
    .argument('<session>', 'id, or the beginning of an id')
    .argument('[turn]', 'last, an id, or the beginning of an id', 'last')
    .action(async (session: string, turn: string, options: TraceOptions) => {
      const { showTrace } = await import('../commands/trace.ts');
      done(await showTrace(context, screen, { session, turn }, options));
    });
  example(trace, [
    'agenthost trace 4f2a  the last turn',
    'agenthost trace 4f2a 91c0 --json  one span of a turn per line',
  ]);
}
