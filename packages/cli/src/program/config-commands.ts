import type { ConfigOptions } from '../commands/config.ts';
import type { CommandParts } from './command-parts.ts';

/** Adds `config` and what is below it. */
export function addConfigCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const config = command(program, 'config', "list the host's settings", [
    'url',
    'start',
    'json',
    'verbose',
  ]).action(async (options: ConfigOptions) => {
    const { listConfig } = await import('../commands/config.ts');
    done(await listConfig(context, screen, options));
  });
  example(config, [
    'agenthost config  what there is to set, and what is set',
    'agenthost config get approvals',
    'agenthost config set approvals edits  for new sessions, from now on',
    'agenthost config unset approvals  back to the default',
  ]);
  command(config, 'get', 'print the value of one setting', ['url', 'start', 'json', 'verbose'])
    .argument('<key>', 'its name')
    .action(async (key: string, _own: object, self: typeof config) => {
      const { getConfig } = await import('../commands/config.ts');
      done(await getConfig(context, screen, key, self.optsWithGlobals<ConfigOptions>()));
    });
  command(config, 'set', 'change one setting, for all clients and lastingly', [
    'url',
    'start',
    'json',
    'verbose',
  ])
    .argument('<key>', 'its name')
    .argument('<value>', 'its new value')
    .action(async (key: string, value: string, _own: object, self: typeof config) => {
      const { setConfig } = await import('../commands/config.ts');
      done(await setConfig(context, screen, [key, value], self.optsWithGlobals<ConfigOptions>()));
    });
  command(config, 'unset', 'give one setting its default back', ['url', 'start', 'json', 'verbose'])
    .argument('<key>', 'its name')
    .action(async (key: string, _own: object, self: typeof config) => {
      const { unsetConfig } = await import('../commands/config.ts');
      done(await unsetConfig(context, screen, key, self.optsWithGlobals<ConfigOptions>()));
    });
}
