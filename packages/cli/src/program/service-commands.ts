import type { InstallOptions, LogsOptions, ServiceOptions } from '../commands/service.ts';
import type { CommandParts } from './command-builder.ts';
import { HOST_OPTIONS } from './daemon-commands.ts';
import type { OptionName } from './options.ts';

const COMMON: readonly OptionName[] = ['ofSystem', 'json', 'verbose'];

/** Adds `service` and what is below it. */
export function addServiceCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const service = command(program, 'service', 'run a host as a service of systemd or launchd', []);
  example(service, [
    'agenthost service install',
    'agenthost service status',
    'agenthost service logs --follow',
  ]);
  const installing = command(
    service,
    'install',
    'define the service; it starts now and at each login or boot',
    [
      ...HOST_OPTIONS.filter((name) => name !== 'drain' && name !== 'record'),
      'serviceDrain',
      'serviceEnv',
      'print',
      ...COMMON,
    ],
  ).action(async (options: InstallOptions) => {
    const { installService } = await import('../commands/service.ts');
    done(await installService(context, screen, options));
  });
  example(installing, [
    'agenthost service install',
    'agenthost service install --env ANTHROPIC_API_KEY --root ~/work',
    'agenthost service install --print  only shows the file',
  ]);
  for (const [deed, description] of [
    ['start', 'start the service'],
    ['stop', 'wait for running turns, and stop the service'],
    ['restart', 'wait for running turns, and restart the service'],
  ] as const)
    command(service, deed, description, COMMON).action(async (options: ServiceOptions) => {
      const { controlService } = await import('../commands/service.ts');
      done(await controlService(context, screen, deed, options));
    });
  command(service, 'status', 'show whether the service runs', COMMON).action(
    async (options: ServiceOptions) => {
      const { showService } = await import('../commands/service.ts');
      done(await showService(context, screen, options));
    },
  );
  command(service, 'logs', 'show the output of the service', [
    'serviceLines',
    'followLog',
    'ofSystem',
    'verbose',
  ]).action(async (options: LogsOptions) => {
    const { showServiceLogs } = await import('../commands/service.ts');
    done(await showServiceLogs(context, screen, options));
  });
  command(
    service,
    'uninstall',
    'stop the service and remove its files; the data folder stays',
    COMMON,
  ).action(async (options: ServiceOptions) => {
    const { uninstallService } = await import('../commands/service.ts');
    done(await uninstallService(context, screen, options));
  });
}
