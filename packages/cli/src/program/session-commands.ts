import type { Command } from 'commander';
import type { ChangeSessionsOptions } from '../commands/change-sessions.ts';
import type { ForkOptions } from '../commands/fork.ts';
import type { SessionsOptions } from '../commands/sessions.ts';
import type { SetSessionOptions } from '../commands/set-session.ts';
import type { CommandParts } from './command-parts.ts';
import type { OptionName } from './options.ts';

const ofClients: readonly OptionName[] = ['url', 'start', 'json', 'verbose'];

/** Adds `sessions` and all below it. */
export function addSessionCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const sessions = command(program, 'sessions', 'list sessions, one line each', [
    'limit',
    'search',
    'meta',
    'archived',
    ...ofClients,
  ]).action(async (options: SessionsOptions) => {
    const { listSessions } = await import('../commands/sessions.ts');
    done(await listSessions(context, screen, options));
  });
  example(sessions, [
    'agenthost sessions',
    'agenthost sessions --search "flaky test"',
    'agenthost sessions --meta ticket=42',
    'agenthost sessions show 4f2a  the beginning of an id is enough',
    'agenthost sessions rm 4f2a',
  ]);
  const showing = command(sessions, 'show', 'all about one session, disk use included', ofClients)
    .argument('<session>', 'id, or the beginning of one')
    .action(async (given: string, _own: object, self: Command) => {
      const { showSession } = await import('../commands/sessions.ts');
      done(await showSession(context, screen, given, self.optsWithGlobals<SessionsOptions>()));
    });
  example(showing, ['agenthost sessions show 4f2a', 'agenthost sessions show 4f2a --json']);
  const forking = command(sessions, 'fork', 'make a new session that begins as a copy of one', [
    'at',
    ...ofClients,
  ])
    .argument('<session>', 'id, or the beginning of one')
    .action(async (given: string, _own: object, self: Command) => {
      const { forkSession } = await import('../commands/fork.ts');
      done(await forkSession(context, screen, given, self.optsWithGlobals<ForkOptions>()));
    });
  example(forking, ['agenthost sessions fork 4f2a', 'agenthost sessions fork 4f2a --at <turn> --json']);
  const chats = command(sessions, 'chats', 'list the chats of a session, one line each', ofClients)
    .argument('<session>', 'id, or the beginning of one')
    .action(async (given: string, _own: object, self: Command) => {
      const { listChats } = await import('../commands/list-chats.ts');
      done(await listChats(context, screen, given, self.optsWithGlobals<ChangeSessionsOptions>()));
    });
  example(chats, ['agenthost sessions chats 4f2a']);
  const renaming = command(sessions, 'rename', 'give a session another title', ofClients)
    .argument('<session>', 'id, or the beginning of one')
    .argument('<title...>', 'what it is called from now on')
    .action(async (given: string, words: string[], _own: object, self: Command) => {
      const { renameSession } = await import('../commands/change-sessions.ts');
      const options = self.optsWithGlobals<ChangeSessionsOptions>();
      done(await renameSession(context, screen, [given, ...words], options));
    });
  example(renaming, ['agenthost sessions rename 4f2a Flaky tests']);
  const setting = command(sessions, 'set', 'list settings of a session, or change them', [
    'instructions',
    'changeMeta',
    ...ofClients,
  ])
    .argument('<session>', 'id, or the beginning of one')
    .argument('[key=value...]', 'settings to change; without any, all are listed')
    .action(async (given: string, texts: string[], _own: object, self: Command) => {
      const { setSession } = await import('../commands/set-session.ts');
      // `sessions` has a --meta of its own, which is for lists.
      const { meta: _, ...inherited } = self.optsWithGlobals<SetSessionOptions>();
      const { meta } = self.opts<SetSessionOptions>();
      const options = { ...inherited, ...(meta === undefined ? {} : { meta }) };
      done(await setSession(context, screen, [given, ...texts], options));
    });
  example(setting, [
    'agenthost sessions set 4f2a  what there is to set',
    'agenthost sessions set 4f2a approvals=edits',
    'agenthost sessions set 4f2a --meta ticket=42  --meta ticket= takes it out',
  ]);
  const removing = command(sessions, 'rm', 'end sessions for everyone and delete them', ['yes', ...ofClients])
    .alias('dispose')
    .argument('<session...>', 'ids, or beginnings of ids')
    .action(async (given: string[], _own: object, self: Command) => {
      const { removeSessions } = await import('../commands/change-sessions.ts');
      const options = self.optsWithGlobals<ChangeSessionsOptions & { yes?: boolean }>();
      done(await removeSessions(context, screen, given, options));
    });
  example(removing, ['agenthost sessions rm 4f2a 90cc', 'agenthost sessions rm --yes 4f2a']);

  for (const [name, isArchived] of [
    ['archive', true],
    ['unarchive', false],
  ] as const) {
    command(sessions, name, isArchived ? 'put sessions away' : 'take sessions out again', ofClients)
      .argument('<session...>', 'ids, or beginnings of ids')
      .action(async (given: string[], _own: object, self: Command) => {
        const { archiveSessions } = await import('../commands/change-sessions.ts');
        const options = self.optsWithGlobals<ChangeSessionsOptions>();
        done(await archiveSessions(context, screen, given, { ...options, isArchived }));
      });
  }
}
