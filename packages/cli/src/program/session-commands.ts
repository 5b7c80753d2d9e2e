import { defined } from '@agenthost/protocol/values';
import type { Command } from 'commander';
import type { ChangeSessionsOptions, ForkOptions } from '../commands/change-sessions.ts';
import type { ExportOptions } from '../commands/export.ts';
import type { ImportOptions } from '../commands/import.ts';
import type { QueueChange, QueueOptions } from '../commands/queue.ts';
import type { SessionsOptions } from '../commands/sessions.ts';
import type { SetSessionOptions } from '../commands/set-session.ts';
import type { TurnsOptions } from '../commands/turns.ts';
import type { CommandParts } from './command-builder.ts';
import type { OptionName } from './options.ts';

const CLIENT_OPTIONS: readonly OptionName[] = ['url', 'start', 'json', 'verbose'];

/** Adds `sessions` and all below it. */
export function addSessionCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const sessions = command(program, 'sessions', 'list sessions, one line each', [
    'limit',
    'search',
    'meta',
    'archived',
    ...CLIENT_OPTIONS,
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
  const showing = command(sessions, 'show', 'show one session in detail, with its disk use', CLIENT_OPTIONS)
    .argument('<session>', 'id, or the beginning of an id')
    .action(async (given: string, _own: object, self: Command) => {
      const { showSession } = await import('../commands/sessions.ts');
      done(await showSession(context, screen, given, self.optsWithGlobals<SessionsOptions>()));
    });
  example(showing, ['agenthost sessions show 4f2a', 'agenthost sessions show 4f2a --json']);
  const forking = command(sessions, 'fork', 'create a session that begins as a copy of another', [
    'at',
    ...CLIENT_OPTIONS,
  ])
    .argument('<session>', 'id, or the beginning of an id')
    .action(async (given: string, _own: object, self: Command) => {
      const { forkSession } = await import('../commands/change-sessions.ts');
      done(await forkSession(context, screen, given, self.optsWithGlobals<ForkOptions>()));
    });
  example(forking, ['agenthost sessions fork 4f2a', 'agenthost sessions fork 4f2a --at <turn> --json']);
  const aside = command(
    sessions,
    'aside',
    'start a chat beside the default chat, whose agent knows that chat up to a turn',
    ['at', ...CLIENT_OPTIONS],
  )
    .argument('<session>', 'id, or the beginning of an id')
    .action(async (given: string, _own: object, self: Command) => {
      const { startSideChat } = await import('../commands/change-sessions.ts');
      done(await startSideChat(context, screen, given, self.optsWithGlobals<ForkOptions>()));
    });
  example(aside, [
    'agenthost sessions aside 4f2a',
    'agenthost run --session 4f2a --chat <chat> "why?"  asks in the side chat',
  ]);
  const turns = command(sessions, 'turns', 'list the turns of a chat with their ids, one line each', [
    'chat',
    ...CLIENT_OPTIONS,
  ])
    .argument('<session>', 'id, or the beginning of an id')
    .action(async (given: string, _own: object, self: Command) => {
      const { listTurns } = await import('../commands/turns.ts');
      done(await listTurns(context, screen, given, self.optsWithGlobals<TurnsOptions>()));
    });
  example(turns, ['agenthost sessions turns 4f2a', 'agenthost sessions turns 4f2a --chat 9b --json']);
  const chats = command(sessions, 'chats', 'list the chats of a session, one line each', CLIENT_OPTIONS)
    .argument('<session>', 'id, or the beginning of an id')
    .action(async (given: string, _own: object, self: Command) => {
      const { listChats } = await import('../commands/sessions.ts');
      done(await listChats(context, screen, given, self.optsWithGlobals<ChangeSessionsOptions>()));
    });
  example(chats, ['agenthost sessions chats 4f2a']);
  const renaming = command(sessions, 'rename', 'rename a session', CLIENT_OPTIONS)
    .argument('<session>', 'id, or the beginning of an id')
    .argument('<title...>', 'the new title')
    .action(async (given: string, words: string[], _own: object, self: Command) => {
      const { renameSession } = await import('../commands/change-sessions.ts');
      const options = self.optsWithGlobals<ChangeSessionsOptions>();
      done(await renameSession(context, screen, [given, ...words], options));
    });
  example(renaming, ['agenthost sessions rename 4f2a Flaky tests']);
  const setting = command(sessions, 'set', 'list or change the settings of a session', [
    'instructions',
    'changeMeta',
    ...CLIENT_OPTIONS,
  ])
    .argument('<session>', 'id, or the beginning of an id')
    .argument('[key=value...]', 'settings to change; without any, all settings are listed')
    .action(async (given: string, texts: string[], _own: object, self: Command) => {
      const { setSession } = await import('../commands/set-session.ts');
      // `sessions` has a --meta of its own, which is for lists.
      const { meta: _, ...inherited } = self.optsWithGlobals<SetSessionOptions>();
      const { meta } = self.opts<SetSessionOptions>();
      const options = { ...inherited, ...defined({ meta }) };
      done(await setSession(context, screen, [given, ...texts], options));
    });
  example(setting, [
    'agenthost sessions set 4f2a  lists the settings',
    'agenthost sessions set 4f2a approvals=edits',
    'agenthost sessions set 4f2a --meta ticket=42  an empty value removes the key',
  ]);
  const removing = command(sessions, 'rm', 'end sessions for everyone, and delete them', [
    'yes',
    ...CLIENT_OPTIONS,
  ])
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
    command(sessions, name, isArchived ? 'archive sessions' : 'unarchive sessions', CLIENT_OPTIONS)
      .argument('<session...>', 'ids, or beginnings of ids')
      .action(async (given: string[], _own: object, self: Command) => {
        const { archiveSessions } = await import('../commands/change-sessions.ts');
        const options = self.optsWithGlobals<ChangeSessionsOptions>();
        done(await archiveSessions(context, screen, given, { ...options, isArchived }));
      });
  }
}

const QUEUE_OPTIONS: readonly OptionName[] = ['chat', 'url', 'start', 'json', 'verbose'];

/** Adds `queue` and all below it. */
export function addQueueCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const queue = program
    .command('queue')
    .description('show and change queued messages, or steer the running turn');
  example(queue, [
    'agenthost queue add 4f2a "then the tests"  starts at once if no turn is running',
    'agenthost queue steer 4f2a "no docs"  goes into the running turn',
    'agenthost queue steer 4f2a 2  steers with the second queued message',
    'agenthost queue order 4f2a 3 1  third, first, then the rest',
    'agenthost queue go 4f2a  after a cancel: starts the first message',
  ]);
  const add = (
    name: QueueChange['name'],
    description: string,
    args: readonly (readonly [name: string, description: string])[],
  ): void => {
    const made: Command = command(queue, name, description, QUEUE_OPTIONS);
    made.argument('<session>', 'id, or the beginning of an id');
    for (const [arg, about] of args) made.argument(arg, about);
    made.action(async (session: string, ...more: unknown[]) => {
      const words = more
        .slice(0, args.length)
        .flat()
        .filter((each) => typeof each === 'string');
      const { changeQueue } = await import('../commands/queue.ts');
      done(await changeQueue(context, screen, { name, session, words }, made.opts<QueueOptions>()));
    });
  };
  const text = ['[text...]', 'the message; - or nothing reads the message from standard input'] as const;
  const message = ['<message>', 'its place in the queue, its id, or the beginning of its id'] as const;
  add('list', 'list queued messages, one line each', []);
  add('add', 'queue a message', [text]);
  add('steer', 'send a message to the agent during its turn', [
    ['[text...]', `${text[1]}; a number alone means the queued message at that place`],
  ]);
  add('edit', 'change a queued message', [message, text]);
  add('rm', 'remove a queued message', [message]);
  add('order', 'move messages to the front, in this order', [['<message...>', message[1]]]);
  add('go', 'start the first message of a held queue', []);
}

const IMPORT_HELP = `
The import takes the chats with their turns, the titles, the folder, the
metadata and the instructions. The agent gets the instructions: read them first
in a file that you do not trust. The import does not take approvals and settings
of the agent. It starts nothing: queued messages go to the chat's draft.`;

/** Adds `export` and `import`. */
export function addExportCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const exporting = command(program, 'export', 'export a session as JSON, Markdown or one HTML page', [
    'format',
    'output',
    'force',
    'url',
    'start',
    'json',
    'verbose',
  ])
    .argument('<session>', 'id, or the beginning of an id')
    .action(async (given: string, options: ExportOptions) => {
      const { exportSession } = await import('../commands/export.ts');
      done(await exportSession(context, screen, given, options));
    });
  example(exporting, [
    'agenthost export 4f2a -o session.json  everything, for `import`',
    'agenthost export 4f2a --format html -o s.html  to read in a browser',
    'agenthost export 4f2a | jq -r ".chats[].turns[].turn.message.text"',
  ]);
  const importing = command(program, 'import', 'create a session from an export (JSON)', [
    'newSession',
    'importCwd',
    'importAgent',
    'provider',
    'url',
    'start',
    'json',
    'verbose',
  ])
    .argument('<file>', 'a file that `export` wrote; - reads standard input')
    .action(async (given: string, options: ImportOptions) => {
      const { importSession } = await import('../commands/import.ts');
      done(await importSession(context, screen, given, options));
    });
  example(importing, [
    'agenthost import session.json',
    'agenthost import session.json --cwd . --agent demo  with another agent',
  ]);
  importing.addHelpText('after', IMPORT_HELP);
}
