import type { StartOptions, StatusOptions, StopOptions } from '../commands/daemon.ts';
import type { CommandParts } from './command-builder.ts';
import type { OptionName } from './options.ts';

/** Options of a host that is started, in the background or not. */
export const HOST_OPTIONS: readonly OptionName[] = [
  'port',
  'host',
  'tls',
  'tlsCert',
  'tlsKey',
  'insecureListen',
  'basePath',
  'oidcIssuer',
  'oidcClientId',
  'trustProxy',
  'previewPort',
  'previewHost',
  'data',
  'journal',
  'standby',
  'announce',
  'label',
  'config',
  'root',
  'tokenFile',
  'noKeeper',
  'set',
  'record',
  'drain',
];

const CHOICE: readonly OptionName[] = ['ofData', 'ofUrl'];
const COMMON: readonly OptionName[] = ['json', 'verbose'];

/** Adds `start`, `stop`, `restart` and `status`. */
export function addDaemonCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const starting = command(program, 'start', 'start a host in the background', [
    ...HOST_OPTIONS,
    ...COMMON,
  ]).action(async (options: StartOptions) => {
    const { start } = await import('../commands/daemon.ts');
    done(await start(context, screen, options));
  });
  example(starting, [
    'agenthost start',
    'agenthost start --host 0.0.0.0 --tls --drain 60',
    'agenthost start --data /srv/agenthost --port 4800  a second host',
  ]);
  const stopping = command(program, 'stop', 'stop a host or a waiting standby', [
    'stopDrain',
    ...CHOICE,
    ...COMMON,
  ]).action(async (options: StopOptions) => {
    const { stop } = await import('../commands/daemon.ts');
    done(await stop(context, screen, options));
  });
  example(stopping, [
    'agenthost stop',
    'agenthost stop --drain 300  waits for running turns',
    'agenthost stop --data /srv/agenthost',
  ]);
  const restarting = command(
    program,
    'restart',
    'wait for the turns of a host, stop it, and start it in the background with the same options',
    ['restartDrain', ...CHOICE, ...COMMON],
  ).action(async (options: StopOptions) => {
    const { restart } = await import('../commands/daemon.ts');
    done(await restart(context, screen, options));
  });
  example(restarting, ['agenthost restart', 'agenthost restart --drain 0  does not wait']);
  const showing = command(
    program,
    'status',
    'show the running hosts and waiting standbys of this machine, and the sessions that wait for you',
    [...CHOICE, 'noUpdateCheck', ...COMMON],
  ).action(async (options: StatusOptions) => {
    const { status } = await import('../commands/daemon.ts');
    done(await status(context, screen, options));
  });
  example(showing, ['agenthost status', 'agenthost status --json | jq .waiting']);
}
