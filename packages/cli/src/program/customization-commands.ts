import type { CustomizationOptions } from '../commands/customizations.ts';
import type { CommandParts } from './command-builder.ts';
import type { OptionName } from './options.ts';

const OPTIONS: readonly OptionName[] = ['url', 'start', 'json', 'verbose'];
const SESSION = ['<session>', 'id, or the beginning of an id'] as const;

/** Adds `customizations` and what is below it. */
export function addCustomizationCommands({
  context,
  screen,
  program,
  command,
  example,
  done,
}: CommandParts): void {
  const parent = command(
    program,
    'customizations',
    'list and control the rules, skills, commands, agents, hooks and plugins of a session',
    [],
  );
  example(parent, [
    'agenthost customizations list 4f2a',
    'agenthost customizations disable 4f2a style  in this session',
    'agenthost customizations disable 4f2a Kit --for everywhere',
    'agenthost customizations publish 4f2a ./my-plugin',
  ]);
  command(parent, 'list', 'list the customizations of a session, with state and faults', OPTIONS)
    .argument(...SESSION)
    .action(async (session: string, _own: object, self: typeof parent) => {
      const { listCustomizations } = await import('../commands/customizations.ts');
      done(await listCustomizations(context, screen, session, self.optsWithGlobals<CustomizationOptions>()));
    });
  const decisions = [
    ['enable', 'enable a customization', true],
    ['disable', 'disable a customization', false],
    ['reset', 'take a decision about a customization back', undefined],
  ] as const;
  for (const [does, description, enabled] of decisions)
    command(parent, does, description, [...OPTIONS, 'for'])
      .argument(...SESSION)
      .argument('<customization>', 'name, container/name or id, as `customizations list` shows them')
      .action(async (given: string, name: string, _own: object, self: typeof parent) => {
        const { decideCustomization } = await import('../commands/customizations.ts');
        const options = self.optsWithGlobals<CustomizationOptions>();
        done(await decideCustomization(context, screen, { given, name, enabled }, options));
      });
  command(parent, 'publish', 'publish a folder as a plugin for a session, until Ctrl-C', [
    'url',
    'start',
    'verbose',
  ])
    .argument(...SESSION)
    .argument(
      '<folder>',
      'folder with `rules`, `skills`, `commands`, `agents`, `hooks` or a manifest `plugin.json`',
    )
    .action(async (given: string, folder: string, _own: object, self: typeof parent) => {
      const { publishPlugin } = await import('../commands/publish-plugin.ts');
      done(
        await publishPlugin(context, screen, { given, folder }, self.optsWithGlobals<CustomizationOptions>()),
      );
    });
}
