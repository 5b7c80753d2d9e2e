import type { ConformanceOptions } from '../commands/conformance.ts';
import type { ReplayCommandOptions } from '../commands/replay.ts';
import type { CommandParts } from './command-builder.ts';

/** Adds the commands for frames of the protocol: `replay` and `conformance`. */
export function addWireCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const replaying = command(program, 'replay', 'show a recording of --record, or send it to a host again', [
    'replayTo',
    'speed',
    'checkFormat',
    'har',
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
    'agenthost replay r.ndjson --check',
    'agenthost replay r.ndjson --har r.har',
  ]);

  const checking = command(program, 'conformance', 'test a host against the rules of the protocol', [
    'client',
    'port',
    'checkedHost',
    'hostToken',
    'ahpVersion',
    'agent',
    'dir',
    'only',
    'patience',
    'schemas',
    'junit',
    'report',
    'fingerprint',
    'json',
    'verbose',
  ])
    .argument(
      '[url]',
      'address of the host, http(s) or ws(s); without it, the host that runs on this machine',
    )
    .action(async (url: string | undefined, options: ConformanceOptions) => {
      const { conformance } = await import('../commands/conformance.ts');
      done(await conformance(context, screen, url, options));
    });
  example(checking, [
    'agenthost conformance  the host that runs here, at every version',
    'agenthost conformance ws://127.0.0.1:4711 --version 1.0.0 --only CHAT-12',
    'agenthost conformance --host build --only AUTH-1',
    'agenthost conformance --client --port 0  check the client that connects',
    'agenthost conformance wss://devbox:7433 --json --junit report.xml',
    'agenthost conformance --report conformance  badge.svg and summary.json',
  ]);
}
