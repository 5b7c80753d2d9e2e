import type { BackgroundOptions } from '../commands/background.ts';
import type { CommandParts } from './command-builder.ts';
import type { OptionName } from './options.ts';

const OPTIONS: readonly OptionName[] = ['url', 'start', 'json', 'verbose'];
const SESSION = ['<session>', 'id, or the beginning of an id'] as const;

/** Adds `background` and what is below it. */
export function addBackgroundCommands({
  context,
  screen,
  program,
  command,
  example,
  done,
}: CommandParts): void {
  const background = command(program, 'background', 'list and end the background work of a session', []);
  example(background, ['agenthost background list 4f2a', 'agenthost background end 4f2a 9c1f2a3b']);
  command(background, 'list', 'list shells and workers that outlive their turns', OPTIONS)
    .argument(...SESSION)
    .action(async (given: string, _own: object, self: typeof background) => {
      const { listBackground } = await import('../commands/background.ts');
      done(await listBackground(context, screen, given, self.optsWithGlobals<BackgroundOptions>()));
    });
  command(background, 'end', 'end shells and workers', OPTIONS)
    .argument(...SESSION)
    .argument('<id...>', 'ids as `background list` shows them, or their beginnings')
    .action(async (given: string, ids: string[], _own: object, self: typeof background) => {
      const { endBackground } = await import('../commands/background.ts');
      done(await endBackground(context, screen, { given, ids }, self.optsWithGlobals<BackgroundOptions>()));
    });
}
