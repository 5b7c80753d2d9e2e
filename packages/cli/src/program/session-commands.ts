import { defined } from '@agenthost/protocol/values';
import type { Command } from 'commander';
import type { ChangeSessionsOptions, ForkOptions } from '../commands/change-sessions.ts';
import type { ExportOptions } from '../commands/export.ts';
import type { ImportOptions } from '../commands/import.ts';
import type { QueueChange, QueueOptions } from '../commands/queue.ts';
import type { SessionsOptions } from '../commands/sessions.ts';
import type { SetSessionOptions } from '../commands/set-session.ts';
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
  const showing = command(sessions, 'show', 'all about one session, disk use included', CLIENT_OPTIONS)
    .argument('<session>', 'id, or the beginning of one')
    .action(async (given: string, _own: object, self: Command) => {
      const { showSession } = await import('../commands/sessions.ts');
      done(await showSession(context, screen, given, self.optsWithGlobals<SessionsOptions>()));
    });
  example(showing, ['agenthost sessions show 4f2a', 'agenthost sessions show 4f2a --json']);
  const forking = command(sessions, 'fork', 'make a new session that begins as a copy of one', [
    'at',
    ...CLIENT_OPTIONS,
  ])
    .argument('<session>', 'id, or the beginning of one')
    .action(async (given: string, _own: object, self: Command) => {
      const { forkSession } = await import('../commands/change-sessions.ts');
      done(await forkSession(context, screen, given, self.optsWithGlobals<ForkOptions>()));
    });
  example(forking, ['agenthost sessions fork 4f2a', 'agenthost sessions fork 4f2a --at <turn> --json']);
  const chats = command(sessions, 'chats', 'list the chats of a session, one line each', CLIENT_OPTIONS)
    .argument('<session>', 'id, or the beginning of one')
    .action(async (given: string, _own: object, self: Command) => {
      const { listChats } = await import('../commands/sessions.ts');
      done(await listChats(context, screen, given, self.optsWithGlobals<ChangeSessionsOptions>()));
    });
  example(chats, ['agenthost sessions chats 4f2a']);
  const renaming = command(sessions, 'rename', 'give a session another title', CLIENT_OPTIONS)
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
    ...CLIENT_OPTIONS,
  ])
    .argument('<session>', 'id, or the beginning of one')
    .argument('[key=value...]', 'settings to change; without any, all are listed')
    .action(async (given: string, texts: string[], _own: object, self: Command) => {
      const { setSession } = await import('../commands/set-session.ts');
      // `sessions` has a --meta of its own, which is for lists.
      const { meta: _, ...inherited } = self.optsWithGlobals<SetSessionOptions>();
      const { meta } = self.opts<SetSessionOptions>();
      const options = { ...inherited, ...defined({ meta }) };
      done(await setSession(context, screen, [given, ...texts], options));
    });
  example(setting, [
    'agenthost sessions set 4f2a  what there is to set',
    'agenthost sessions set 4f2a approvals=edits',
    'agenthost sessions set 4f2a --meta ticket=42  --meta ticket= takes it out',
  ]);
  const removing = command(sessions, 'rm', 'end sessions for everyone and delete them', [
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
    command(sessions, name, isArchived ? 'put sessions away' : 'take sessions out again', CLIENT_OPTIONS)
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
    .description('show and change what waits to be said in a session, or steer what runs');
  example(queue, [
    'agenthost queue add 4f2a "then the tests"  the next turn, or at once',
    'agenthost queue steer 4f2a "no docs"  into the turn that runs',
    'agenthost queue steer 4f2a 2  with the second that waits',
    'agenthost queue order 4f2a 3 1  third, first, then the rest',
    'agenthost queue go 4f2a  after a cancel: start the first',
  ]);
  const add = (
    name: QueueChange['name'],
    description: string,
    args: readonly (readonly [name: string, description: string])[],
  ): void => {
    const made: Command = command(queue, name, description, QUEUE_OPTIONS);
    made.argument('<session>', 'id, or the beginning of one');
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
  const text = ['[text...]', 'what to say; - or nothing reads it from input'] as const;
  const message = ['<message>', 'its place in the queue, its id, or the beginning of one'] as const;
  add('list', 'list what waits, one line each', []);
  add('add', 'queue a message', [text]);
  add('steer', 'say something to the agent in the middle of its turn', [
    ['[text...]', `${text[1]}; a number alone is the message at that place`],
  ]);
  add('edit', 'change a message in its place', [message, text]);
  add('rm', 'take a message back', [message]);
  add('order', 'put messages first, in this order', [['<message...>', message[1]]]);
  add('go', 'start the first message of a queue that waits', []);
}

const WHAT_COMES = `
What comes over: chats with all that was said and done in them, titles, the
folder, metadata and instructions (the agent is told them: read them in a file
that you do not trust). What does not: approvals and settings of the agent,
which are as in a new session, and nothing starts: messages that waited to be
sent are in the chat's draft.`;

/** Adds `export` and `import`. */
export function addExportCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const exporting = command(
    program,
    'export',
    'write a session down: as JSON, Markdown or one page of HTML',
    ['format', 'output', 'force', 'url', 'start', 'json', 'verbose'],
  )
    .argument('<session>', 'id, or the beginning of one')
    .action(async (given: string, options: ExportOptions) => {
      const { exportSession } = await import('../commands/export.ts');
      done(await exportSession(context, screen, given, options));
    });
  example(exporting, [
    'agenthost export 4f2a -o session.json  all of it, for `import`',
    'agenthost export 4f2a --format html -o s.html  to be read in a browser',
    'agenthost export 4f2a | jq -r ".chats[].turns[].turn.message.text"',
  ]);
  const importing = command(program, 'import', 'make a new session of an exported one (JSON)', [
    'newSession',
    'importCwd',
    'importAgent',
    'provider',
    'url',
    'start',
    'json',
    'verbose',
  ])
    .argument('<file>', 'what `export` wrote; - reads it from input')
    .action(async (given: string, options: ImportOptions) => {
      const { importSession } = await import('../commands/import.ts');
      done(await importSession(context, screen, given, options));
    });
  example(importing, [
    'agenthost import session.json',
    'agenthost import session.json --cwd . --agent demo  without its agent',
  ]);
  importing.addHelpText('after', WHAT_COMES);
}
