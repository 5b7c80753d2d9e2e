import type { ReplayCommandOptions } from '../commands/replay.ts';
import type { CommandParts } from './command-builder.ts';

/** Adds the commands for frames of the protocol: `replay`. */
export function addWireCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const replaying = command(program, 'replay', 'show a recording of --record, or send it to a host again', [
    'replayTo',
    'speed',
    'json',
    'verbose',
  ])
    .argument('<file>', 'a file that --record wrote')
    .action(async (file: string, options: ReplayCommandOptions) => {
      const { replayCommand } = await import('../commands/replay.ts');
      done(await replayCommand(context, screen, file, options));
    });
  example(replaying, [
    'agenthost run --record r.ndjson "say hello"',
    'agenthost replay r.ndjson  every frame in one line',
    'agenthost replay r.ndjson --to http://127.0.0.1:4711 --speed 0',
  ]);
}
