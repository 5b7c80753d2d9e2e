import type { TokenOptions } from '../commands/tokens.ts';
import type { CommandParts } from './command-parts.ts';

/** Adds `token` and what is below it. */
export function addTokenCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const token = command(program, 'token', 'give access to others, and take it back', []);
  example(token, [
    'agenthost token create --name tablet --expires 7d  look, for a week',
    'agenthost token create --name phone --scope interact  also work',
    'agenthost token list',
    'agenthost token revoke phone  its connections end',
  ]);
  command(token, 'create', 'make a token, and show its secret this once', [
    'scope',
    'tokenName',
    'expires',
    'url',
    'start',
    'json',
    'verbose',
  ]).action(async (options: TokenOptions) => {
    const { createToken } = await import('../commands/tokens.ts');
    done(await createToken(context, screen, options));
  });
  command(token, 'list', 'list tokens, the oldest first', ['url', 'start', 'json', 'verbose']).action(
    async (options: TokenOptions) => {
      const { listTokens } = await import('../commands/tokens.ts');
      done(await listTokens(context, screen, options));
    },
  );
  command(token, 'revoke', 'end tokens, and what is connected by them', ['url', 'start', 'json', 'verbose'])
    .argument('<token...>', 'names, ids, or their beginnings')
    .action(async (given: string[], options: TokenOptions) => {
      const { revokeTokens } = await import('../commands/tokens.ts');
      done(await revokeTokens(context, screen, given, options));
    });
}
