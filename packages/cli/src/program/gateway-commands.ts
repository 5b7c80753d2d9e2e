import type { ForgetCellOptions } from '../commands/forget-cell.ts';
import type { GatewayCommandOptions, GatewayListOptions, PlaceOptions } from '../commands/gateway.ts';
import type { CommandParts } from './command-builder.ts';

/** Adds `gateway` and what is below it. */
export function addGatewayCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const gateway = command(program, 'gateway', 'one address for all hosts of a PostgreSQL database', []);
  example(gateway, [
    'agenthost gateway serve --journal postgres://agenthost@db/agenthost',
    'agenthost gateway hosts',
    'agenthost gateway sessions  the sessions of all hosts',
    'agenthost run --url "$(agenthost gateway place --label gpu)" "train it"',
  ]);
  const serving = command(gateway, 'serve', 'run a gateway until Ctrl-C', [
    'gatewayJournal',
    'gatewayPort',
    'gatewayHost',
    'tlsCert',
    'tlsKey',
    'insecureListen',
    'gatewayToken',
    'hostTokens',
    'allowedHost',
    'allowedOrigin',
    'gatewayProxy',
    'gatewayLog',
    'json',
    'verbose',
  ]).action(async (options: GatewayCommandOptions) => {
    const { serveGateway } = await import('../commands/gateway.ts');
    done(await serveGateway(context, screen, options));
  });
  example(serving, [
    'agenthost gateway serve --journal postgres://agenthost@db/agenthost',
    'agenthost gateway serve --port 443 --tls-cert gw.pem --tls-key gw.key',
  ]);
  const reading = ['gatewayUrl', 'gatewayFingerprint', 'json', 'verbose'] as const;
  command(gateway, 'hosts', 'list the hosts of a gateway', reading).action(
    async (options: GatewayListOptions) => {
      const { listHosts } = await import('../commands/gateway.ts');
      done(await listHosts(context, screen, options));
    },
  );
  command(gateway, 'sessions', 'list the newest sessions of all hosts of a gateway', [
    'newest',
    ...reading,
  ]).action(async (options: GatewayListOptions & { limit: number }) => {
    const { listAllSessions } = await import('../commands/gateway.ts');
    done(await listAllSessions(context, screen, options));
  });
  command(gateway, 'place', 'choose a host for a new session, and print its address', [
    'wantedLabel',
    'repository',
    ...reading,
  ]).action(async (options: PlaceOptions) => {
    const { placeSession } = await import('../commands/gateway.ts');
    done(await placeSession(context, screen, options));
  });
  const forgetting = command(gateway, 'forget', 'remove a cell that no host holds, with its sessions', [
    'gatewayJournal',
    'yes',
    'json',
    'verbose',
  ])
    .argument('<cell>', 'name of the cell, as in `gateway hosts`')
    .action(async (cell: string, options: ForgetCellOptions) => {
      const { forgetCell } = await import('../commands/forget-cell.ts');
      done(await forgetCell(context, screen, cell, options));
    });
  example(forgetting, ['agenthost gateway forget team-a --journal postgres://db/agenthost']);
}
