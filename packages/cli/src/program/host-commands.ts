import type { ApprovalsOptions } from '../commands/approvals.ts';
import type { ConfigOptions } from '../commands/config.ts';
import type { ShareOptions } from '../commands/share.ts';
import type { TokenOptions } from '../commands/tokens.ts';
import type { CommandParts } from './command-builder.ts';

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
    'agenthost config  all settings and their values',
    'agenthost config get approvals',
    'agenthost config set approvals edits  for new sessions, from now on',
    'agenthost config unset approvals  back to the default',
  ]);
  command(config, 'get', 'print the value of one setting', ['url', 'start', 'json', 'verbose'])
    .argument('<key>', 'name of the setting')
    .action(async (key: string, _own: object, self: typeof config) => {
      const { getConfig } = await import('../commands/config.ts');
      done(await getConfig(context, screen, key, self.optsWithGlobals<ConfigOptions>()));
    });
  command(config, 'set', 'change one setting permanently, for all clients', [
    'url',
    'start',
    'json',
    'verbose',
  ])
    .argument('<key>', 'name of the setting')
    .argument('<value>', 'new value')
    .action(async (key: string, value: string, _own: object, self: typeof config) => {
      const { setConfig } = await import('../commands/config.ts');
      done(await setConfig(context, screen, [key, value], self.optsWithGlobals<ConfigOptions>()));
    });
  command(config, 'unset', 'reset one setting to its default', ['url', 'start', 'json', 'verbose'])
    .argument('<key>', 'name of the setting')
    .action(async (key: string, _own: object, self: typeof config) => {
      const { unsetConfig } = await import('../commands/config.ts');
      done(await unsetConfig(context, screen, key, self.optsWithGlobals<ConfigOptions>()));
    });
}

/** Adds `approvals` and `approvals revoke`. */
export function addApprovalCommands({
  context,
  screen,
  program,
  command,
  example,
  done,
}: CommandParts): void {
  const approvals = command(
    program,
    'approvals',
    'list remembered approvals: tool calls that run without a question',
    ['url', 'start', 'json', 'verbose'],
  )
    .argument('[session]', 'id, or the beginning of an id: only approvals that apply to it')
    .action(async (session: string | undefined, options: ApprovalsOptions) => {
      const { listApprovals } = await import('../commands/approvals.ts');
      done(await listApprovals(context, screen, session, options));
    });
  example(approvals, [
    'agenthost approvals  all approvals, oldest first',
    'agenthost approvals revoke 9c1f  ask about it again',
    'agenthost approvals revoke --all',
  ]);
  command(approvals, 'revoke', 'remove approvals, so that agents ask again', [
    'url',
    'start',
    'json',
    'verbose',
  ])
    .argument('[approval...]', 'ids, or beginnings of ids')
    .option('--all', 'every approval')
    .action(async (ids: string[], _own: object, self: typeof approvals) => {
      const { revokeApprovals } = await import('../commands/approvals.ts');
      done(await revokeApprovals(context, screen, ids, self.optsWithGlobals<ApprovalsOptions>()));
    });
}

/** Adds `share` and `unshare`. */
export function addShareCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const sharing = command(program, 'share', 'share a session with a person, or list shared sessions', [
    'sharedWith',
    'role',
    'url',
    'start',
    'json',
    'verbose',
  ])
    .argument('[session]', 'id, or the beginning of an id')
    .action(async (given: string | undefined, options: ShareOptions) => {
      const { share } = await import('../commands/share.ts');
      done(await share(context, screen, given, options));
    });
  example(sharing, [
    'agenthost share  list the roles of people in sessions',
    'agenthost share 4f2a --person "Ada Lovelace"  to read it',
    'agenthost share 4f2a --person "Ada Lovelace" --role interact  also to work in it',
    'agenthost unshare 4f2a --person "Ada Lovelace"  at once, on open connections too',
  ]);
  command(program, 'unshare', 'end the role of a person in a session', [
    'sharedWith',
    'url',
    'start',
    'json',
    'verbose',
  ])
    .argument('<session>', 'id, or the beginning of an id')
    .action(async (given: string, options: ShareOptions) => {
      const { unshare } = await import('../commands/share.ts');
      done(await unshare(context, screen, given, options));
    });
}

/** Adds `token` and what is below it. */
export function addTokenCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const token = command(program, 'token', 'manage access tokens', []);
  example(token, [
    'agenthost token create --name tablet --expires 7d  read access for a week',
    'agenthost token create --name phone --scope interact  also to work with sessions',
    'agenthost token create --person "Ada Lovelace" --scope interact  for another person',
    'agenthost token list',
    'agenthost token revoke phone  closes its connections',
  ]);
  command(token, 'create', 'create a token, and show its secret once', [
    'scope',
    'tokenName',
    'person',
    'expires',
    'url',
    'start',
    'json',
    'verbose',
  ]).action(async (options: TokenOptions) => {
    const { createToken } = await import('../commands/tokens.ts');
    done(await createToken(context, screen, options));
  });
  command(token, 'list', 'list tokens, oldest first', ['url', 'start', 'json', 'verbose']).action(
    async (options: TokenOptions) => {
      const { listTokens } = await import('../commands/tokens.ts');
      done(await listTokens(context, screen, options));
    },
  );
  command(token, 'revoke', 'revoke tokens, and close their connections', ['url', 'start', 'json', 'verbose'])
    .argument('<token...>', 'names, ids, or beginnings of ids')
    .action(async (given: string[], options: TokenOptions) => {
      const { revokeTokens } = await import('../commands/tokens.ts');
      done(await revokeTokens(context, screen, given, options));
    });
}
