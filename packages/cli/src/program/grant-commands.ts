import type { GrantsOptions } from '../commands/grants.ts';
import type { CommandParts } from './command-builder.ts';

/** Adds `grants` and what is below it. */
export function addGrantCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const grants = command(program, 'grants', 'list requests for access to files, and granted access', [
    'url',
    'start',
    'json',
    'verbose',
  ]).action(async (options: GrantsOptions) => {
    const { listGrants } = await import('../commands/grants.ts');
    done(await listGrants(context, screen, options));
  });
  example(grants, [
    'agenthost grants  open requests first',
    'agenthost grants allow 9c1f  give a client what it asks for',
    'agenthost grants revoke --all',
  ]);
  const answering = [
    ['allow', 'grant requests', true],
    ['deny', 'deny requests', false],
  ] as const;
  for (const [name, text, isGranted] of answering)
    command(grants, name, text, ['url', 'start', 'json', 'verbose'])
      .argument('<request...>', 'ids, or beginnings of ids')
      .action(async (given: string[], _own: object, self: typeof grants) => {
        const { answerGrants } = await import('../commands/grants.ts');
        const options = self.optsWithGlobals<GrantsOptions>();
        done(await answerGrants(context, screen, { given, isGranted }, options));
      });
  command(grants, 'revoke', 'end granted access at once', ['url', 'start', 'json', 'verbose'])
    .argument('[grant...]', 'ids, or beginnings of ids')
    .option('--all', 'every grant')
    .action(async (given: string[], _own: object, self: typeof grants) => {
      const { revokeGrants } = await import('../commands/grants.ts');
      done(await revokeGrants(context, screen, given, self.optsWithGlobals<GrantsOptions>()));
    });
}
