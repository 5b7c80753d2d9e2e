import { Command, CommanderError } from 'commander';
import { chatKeysText } from './chat/keys/keys-text.ts';
import { type AgentsOptions, agents } from './commands/agents.ts';
import { addApprovalCommands } from './commands/approvals.ts';
import { type ChatOptions, chat } from './commands/chat.ts';
import { addConfigCommands } from './commands/config-commands.ts';
import { addExportCommands } from './commands/export-commands.ts';
import { type ForkOptions, forkSession } from './commands/fork.ts';
import { addQueueCommands } from './commands/queue/commands.ts';
import { type RunOptions, run } from './commands/run.ts';
import { type ServeOptions, serve } from './commands/serve.ts';
import {
  archiveSessions,
  listSessions,
  removeSessions,
  type SessionsOptions,
  showSession,
} from './commands/sessions.ts';
import { addTermCommands } from './commands/term/commands.ts';
import { type WatchOptions, watch } from './commands/watch.ts';
import type { Context } from './context.ts';
import { EXIT, usageError } from './exit.ts';
import { type OptionName, optionOf } from './options.ts';
import { Screen } from './render/screen.ts';
import { report } from './report.ts';

/** Options that every command takes. */
const everywhere: readonly OptionName[] = ['json', 'verbose'];

/** Options of the commands that talk to a host. */
const ofClients: readonly OptionName[] = ['url', 'start', ...everywhere];

/** Runs the command line and resolves with the exit code. Never rejects. */
export async function runCli(context: Context, args: readonly string[]): Promise<number> {
  const screen = new Screen(context);
  const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  // It has no such option: one that stands there is for what it runs.
  const isTermRun = args[0] === 'term' && args[1] === 'run';
  const isJson = options.includes('--json') && !isTermRun;
  let exitCode: number = EXIT.done;
  const program = programOf(context, screen, isJson, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    const isVerbose = options.includes('--verbose');
    if (!(error instanceof CommanderError)) return report(error, screen, { isJson, isVerbose });
    // Help and version have been printed; so has what is wrong with the command line, unless a program reads.
    if (error.exitCode === 0) return EXIT.done;
    return isJson
      ? report(usageError(error.message.replace(/^error: /, '')), screen, { isJson, isVerbose })
      : EXIT.usage;
  } finally {
    screen.status(undefined);
  }
}

function programOf(context: Context, screen: Screen, isJson: boolean, done: (code: number) => void): Command {
  const command = commandIn(context);
  const program = new Command('agenthost')
    .description('Runs coding agents on this machine and shares their sessions with every client.')
    .version(context.version, '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    // Options behind a command's name are its own, or those of what it runs.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => {
        if (!isJson) context.stderr.write(text);
      },
      outputError: (text, write) => write(text.replace(/^error: /, 'agenthost: ')),
    })
    .showHelpAfterError('(add --help for more)');
  example(program, [
    'agenthost serve                          start a host here',
    'agenthost run "fix the failing test"     ask an agent from another terminal',
    'agenthost watch 4f2a                     look at it from a third',
    'agenthost chat                           all of it in one window, by keyboard',
    'agenthost term new                       a terminal that outlives its window',
  ]);

  const serving = command(program, 'serve', 'run a host until Ctrl-C', [
    'port',
    'host',
    'data',
    'config',
    'root',
    'tokenFile',
    'noKeeper',
    'set',
    ...everywhere,
  ]).action(async (options: ServeOptions) => done(await serve(context, screen, options)));
  example(serving, [
    'agenthost serve',
    'agenthost serve --port 0 --json              any free port; one line when ready',
    'agenthost serve --data /srv/agenthost        database, log and token in that folder',
  ]);

  const running = command(program, 'run', 'ask an agent and stream its answer', [
    'agent',
    'cwd',
    'approve',
    'timeout',
    'instructions',
    'sessionConfig',
    'giveMeta',
    ...ofClients,
  ])
    .argument('[prompt...]', 'what to do; - or nothing reads it from input')
    .action(async (words: string[], options: RunOptions) => done(await run(context, screen, words, options)));
  example(running, [
    'agenthost run "what does this project do?"',
    'agenthost run --agent demo --approve all "write hello.txt Hello"',
    'agenthost run --meta ticket=42 --instructions @house-rules.md "review the last commit"',
    'agenthost run "!make test"                          a command of yours, which agents hear of',
    'git diff | agenthost run --json - | jq -r "select(.type == \\"text\\").text"',
  ]);
  running.addHelpText('after', EXIT_HELP);

  const sessions = command(program, 'sessions', 'list sessions, one line each', [
    'limit',
    'search',
    'meta',
    'archived',
    ...ofClients,
  ]).action(async (options: SessionsOptions) => done(await listSessions(context, screen, options)));
  example(sessions, [
    'agenthost sessions',
    'agenthost sessions --search "flaky test"',
    'agenthost sessions --meta ticket=42',
    'agenthost sessions show 4f2a     the beginning of an id is enough',
    'agenthost sessions rm 4f2a',
  ]);
  const showing = command(sessions, 'show', 'all about one session, disk use included', ofClients)
    .argument('<session>', 'id, or the beginning of one')
    .action(async (given: string, _own: object, self: Command) =>
      done(await showSession(context, screen, given, self.optsWithGlobals<SessionsOptions>())),
    );
  example(showing, ['agenthost sessions show 4f2a', 'agenthost sessions show 4f2a --json']);
  const forking = command(sessions, 'fork', 'make a new session that begins as a copy of one', [
    'at',
    ...ofClients,
  ])
    .argument('<session>', 'id, or the beginning of one')
    .action(async (given: string, _own: object, self: Command) =>
      done(await forkSession(context, screen, given, self.optsWithGlobals<ForkOptions>())),
    );
  example(forking, ['agenthost sessions fork 4f2a', 'agenthost sessions fork 4f2a --at <turn> --json']);
  const removing = command(sessions, 'rm', 'end sessions for everyone and delete them', ofClients)
    .argument('<session...>', 'ids, or beginnings of ids')
    .action(async (given: string[], _own: object, self: Command) =>
      done(await removeSessions(context, screen, given, self.optsWithGlobals<SessionsOptions>())),
    );
  example(removing, ['agenthost sessions rm 4f2a 90cc']);

  for (const [name, isArchived] of [
    ['archive', true],
    ['unarchive', false],
  ] as const) {
    command(sessions, name, isArchived ? 'put sessions away' : 'take sessions out again', ofClients)
      .argument('<session...>', 'ids, or beginnings of ids')
      .action(async (given: string[], _own: object, self: Command) =>
        done(
          await archiveSessions(context, screen, given, {
            ...self.optsWithGlobals<SessionsOptions>(),
            isArchived,
          }),
        ),
      );
  }

  const watching = command(program, 'watch', 'look at a session live, approve and cancel', [
    'turns',
    ...ofClients,
  ])
    .argument('<session>', 'id, or the beginning of one')
    .action(async (given: string, options: WatchOptions) =>
      done(await watch(context, screen, given, options)),
    );
  example(watching, ['agenthost watch 4f2a', 'agenthost watch 4f2a --json --turns 0']);

  const chatting = command(program, 'chat', 'talk with agents in a window of text, by keyboard', [
    'cwd',
    ...ofClients,
  ])
    .argument('[session]', 'id, or the beginning of one; without it: the list of all')
    .action(async (given: string | undefined, options: ChatOptions) =>
      done(await chat(context, screen, given, options)),
    );
  example(chatting, ['agenthost chat', 'agenthost chat 4f2a', 'agenthost chat --start']);
  chatting.addHelpText('after', () => `\nKeys:\n${chatKeysText()}`);

  addExportCommands({ context, screen, program, command, example, done });
  addApprovalCommands({ context, screen, program, command, example, done });
  addConfigCommands({ context, screen, program, command, example, done });
  addTermCommands({ context, screen, program, command, example, done });
  addQueueCommands({ context, screen, program, command, example, done });

  const listing = command(program, 'agents', 'list agents: what is there, and why something is not', [
    'config',
    ...ofClients,
  ]).action(async (options: AgentsOptions) => done(await agents(context, screen, options)));
  example(listing, ['agenthost agents', 'agenthost agents --json']);
  return program;
}

const commandIn =
  ({ env }: Context) =>
  (parent: Command, name: string, description: string, options: readonly OptionName[]): Command => {
    const made = parent.command(name).description(description);
    for (const option of options) made.addOption(optionOf(option, env));
    return made;
  };

const EXIT_HELP = `
Exit codes:
  ${EXIT.done}    the agent is done; the command's own, for a prompt like "!make test"
  ${EXIT.error}    an error; the message says which
  ${EXIT.usage}    wrong usage
  ${EXIT.denied}    done, but something that the agent asked for was denied
  ${EXIT.cannotConnect}    no host, or it is gone
  ${EXIT.interrupted}  interrupted; the turn is cancelled`;

function example(made: Command, lines: readonly string[]): void {
  made.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}
