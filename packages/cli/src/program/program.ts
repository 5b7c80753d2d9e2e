import { Command, CommanderError } from 'commander';
import { chatKeysText } from '../chat/keys/keys-text.ts';
import type { ChatOptions } from '../commands/chat.ts';
import type { RunOptions } from '../commands/run.ts';
import type { WatchOptions } from '../commands/watch.ts';
import type { Context } from '../process/context.ts';
import { EXIT, outputTrouble, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { plain } from '../render/plain-text.ts';
import { Screen } from '../render/screen.ts';
import type { ServeOptions } from '../serve/options.ts';
import { WATCH_HELP } from '../watch/command.ts';
import { addAgentCommands, addLoginCommands } from './agent-commands.ts';
import { addAutomationCommands } from './automation-commands.ts';
import { addBackgroundCommands } from './background-commands.ts';
import { addCareCommands, addCompletionCommand } from './care-commands.ts';
import { addChangesCommands } from './changes-commands.ts';
import { addChatCommands } from './chat-commands.ts';
import { exampleLines } from './command-builder.ts';
import { addCommentCommands } from './comment-commands.ts';
import { addCustomizationCommands } from './customization-commands.ts';
import { addDaemonCommands, HOST_OPTIONS } from './daemon-commands.ts';
import { addGatewayCommands } from './gateway-commands.ts';
import { addGrantCommands } from './grant-commands.ts';
import {
  addApprovalCommands,
  addConfigCommands,
  addShareCommands,
  addTokenCommands,
} from './host-commands.ts';
import { addHostsCommands } from './hosts-commands.ts';
import { addMcpCommands } from './mcp-commands.ts';
import { type OptionName, optionOf } from './options.ts';
import { addPortCommands } from './port-commands.ts';
import { report } from './report.ts';
import { addServiceCommands } from './service-commands.ts';
import { sessionOf } from './session-argument.ts';
import { addExportCommands, addQueueCommands, addSessionCommands } from './session-commands.ts';
import { addTelemetryCommands } from './telemetry-commands.ts';
import { addTermCommands } from './term-commands.ts';
import { addWireCommands } from './wire-commands.ts';
import { addWorktreeCommands } from './worktree-commands.ts';

/** Options that every command takes. */
const COMMON_OPTIONS: readonly OptionName[] = ['json', 'verbose'];

/** Options of the commands that talk to a host. */
const CLIENT_OPTIONS: readonly OptionName[] = ['url', 'start', ...COMMON_OPTIONS];

/** Runs the command line and resolves with the exit code. Never rejects. */
export async function runCli(context: Context, args: readonly string[]): Promise<number> {
  const screen = new Screen(context);
  const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  // `term run` has no --json: the option belongs to the command that it runs.
  const isTermRun = args[0] === 'term' && args[1] === 'run';
  const isJson = options.includes('--json') && !isTermRun;
  const isVerbose = options.includes('--verbose');
  let exitCode: number = EXIT.done;
  const program = programOf(context, screen, isJson, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    // A failed write is reported in a later tick.
    await new Promise((resolve) => setImmediate(resolve));
    const trouble = outputTrouble(context.outputClosed);
    // An error exit code has been reported already.
    if (trouble === undefined || (exitCode !== EXIT.done && exitCode !== EXIT.interrupted)) return exitCode;
    return report(trouble, screen, { isJson: false, isVerbose });
  } catch (error) {
    const trouble = outputTrouble(context.outputClosed);
    if (trouble !== undefined) return report(trouble, screen, { isJson: false, isVerbose });
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

/** The parser of the whole command line; `done` gets the exit code of what ran. */
export function programOf(
  context: Context,
  screen: Screen,
  isJson: boolean,
  done: (code: number) => void,
): Command {
  const command = commandIn(context);
  const program = new Command(commandLine('').trimEnd())
    .description('Runs coding agents on this machine and shares their sessions with every client.')
    .version(context.version, '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    // Options behind a command's name are its own, or those of what it runs.
    .enablePositionalOptions()
    .exitOverride()
    // Long option names leave little room for descriptions. Wrapped descriptions are still easier to read.
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => {
        if (!isJson) context.stderr.write(text);
      },
      outputError: (text, write) => write(plain(text).replace(/^error: /, 'agenthost: ')),
    })
    .showHelpAfterError('(add --help for more)');
  example(program, [
    'agenthost serve  start a host here',
    'agenthost run "fix the failing test"  ask an agent, from another terminal',
    'agenthost watch 4f2a  watch it from a third terminal',
    'agenthost chat  sessions and chats in one window, by keyboard',
    'agenthost term new  a terminal that outlives its window',
  ]);

  const serving = command(program, 'serve', 'run a host until Ctrl-C', [
    ...HOST_OPTIONS,
    'detachHost',
    ...COMMON_OPTIONS,
  ]).action(async (options: ServeOptions) => {
    if (options.detach === true) {
      const { start } = await import('../commands/daemon.ts');
      done(await start(context, screen, options));
      return;
    }
    const { serve } = await import('../commands/serve.ts');
    done(await serve(context, screen, options));
  });
  example(serving, [
    'agenthost serve',
    'agenthost serve --port 0 --json  any free port; prints one line when ready',
    'agenthost serve --data /srv/agenthost  database, log and token in that folder',
    'agenthost serve --host 0.0.0.0 --tls  for other machines, with TLS',
  ]);
  addDaemonCommands({ context, screen, program, command, example, done });
  addServiceCommands({ context, screen, program, command, example, done });
  addHostsCommands({ context, screen, program, command, example, done });
  addGatewayCommands({ context, screen, program, command, example, done });

  const running = command(program, 'run', 'ask an agent and stream its answer', [
    'agent',
    'model',
    'cwd',
    'moreDirs',
    'attach',
    'approve',
    'timeout',
    'instructions',
    'sessionConfig',
    'giveMeta',
    'session',
    'continueHere',
    'chat',
    'newChat',
    'waitInQueue',
    ...CLIENT_OPTIONS,
  ])
    .argument('[prompt...]', 'the prompt; - or nothing reads the prompt from standard input')
    .action(async (words: string[], options: RunOptions) => {
      const { run } = await import('../commands/run.ts');
      done(await run(context, screen, words, options));
    });
  example(running, [
    'agenthost run "what does this project do?"',
    'agenthost run --agent demo --approve all "write hello.txt Hello"',
    'agenthost run --model demo-fast "say hello"',
    'agenthost run --attach main.ts:10-20 --attach shot.png "why this look?"',
    'agenthost run --meta ticket=42 --instructions @rules.md "review this"',
    'agenthost run --session 4f2a "now the tests"  continues that session',
    'agenthost run --continue "now the docs"  the newest session of this folder',
    'agenthost run "!make test"  runs your command; the agent sees its output',
    'git diff | agenthost run --json - | jq -r "select(.type == \\"text\\").text"',
  ]);
  running.addHelpText('after', EXIT_HELP);

  addSessionCommands({ context, screen, program, command, example, done });

  const watching = command(program, 'watch', 'watch a session live; approve, answer and cancel', [
    'turns',
    ...CLIENT_OPTIONS,
  ])
    .argument('<session>', 'id, or the beginning of an id')
    .action(async (given: string, options: WatchOptions) => {
      const { watch } = await import('../commands/watch.ts');
      done(await watch(context, screen, given, options));
    });
  example(watching, ['agenthost watch 4f2a', 'agenthost watch 4f2a --json --turns 0']);
  watching.addHelpText(
    'after',
    `\nCommands to type or pipe in:\n  ${WATCH_HELP.split(', ').join('\n  ')}\n\nIf the input is not a terminal, watch continues after its end, until Ctrl-C.`,
  );

  const chatting = command(program, 'chat', 'talk with agents in a full-window text interface', [
    'model',
    'cwd',
    'url',
    'start',
    'verbose',
  ])
    .argument('[session]', 'id, or the beginning of an id; without it, all sessions are listed')
    .action(async (given: string | undefined, options: ChatOptions) => {
      const { chat } = await import('../commands/chat.ts');
      done(await chat(context, screen, given, options));
    });
  example(chatting, ['agenthost chat', 'agenthost chat 4f2a', 'agenthost chat --start']);
  chatting.addHelpText('after', () => `\nKeys:\n${chatKeysText()}`);
  addChatCommands(chatting, { context, screen, program, command, example, done });

  addExportCommands({ context, screen, program, command, example, done });
  addApprovalCommands({ context, screen, program, command, example, done });
  addGrantCommands({ context, screen, program, command, example, done });
  addBackgroundCommands({ context, screen, program, command, example, done });
  addCustomizationCommands({ context, screen, program, command, example, done });
  addAutomationCommands({ context, screen, program, command, example, done });
  addMcpCommands({ context, screen, program, command, example, done });
  addPortCommands({ context, screen, program, command, example, done });
  addTelemetryCommands({ context, screen, program, command, example, done });
  addConfigCommands({ context, screen, program, command, example, done });
  addTokenCommands({ context, screen, program, command, example, done });
  addShareCommands({ context, screen, program, command, example, done });
  addTermCommands({ context, screen, program, command, example, done });
  addQueueCommands({ context, screen, program, command, example, done });
  addWorktreeCommands({ context, screen, program, command, example, done });
  addChangesCommands({ context, screen, program, command, example, done });
  addCommentCommands({ context, screen, program, command, example, done });

  addCareCommands({ context, screen, program, command, example, done });
  addWireCommands({ context, screen, program, command, example, done });

  addAgentCommands({ context, screen, program, command, example, done });
  addLoginCommands({ context, screen, program, command, example, done });
  addCompletionCommand({ context, screen, program, command, example, done });
  // The host of the session is found by it.
  program.hook('preAction', (_, running) => {
    const session = sessionOf(running);
    if (session !== undefined) running.setOptionValue('ofSession', session);
  });
  for (const each of [program, ...program.commands]) if (each.commands.length > 0) addHelp(each);
  for (const each of program.commands)
    if (each.commands.length > 0 && each.registeredArguments.length === 0) refuseUnknown(each);
  return program;
}

/** A command that also works without the commands below it names an unknown one, not too many arguments. */
function refuseUnknown(parent: Command): void {
  parent.allowExcessArguments().hook('preAction', (_, running) => {
    const [name] = running === parent ? parent.args : [];
    if (name !== undefined) parent.error(`error: unknown command '${name}'`);
  });
}

/** `help`, which says so when there is no such command. */
function addHelp(parent: Command): void {
  parent
    .helpCommand(false)
    .command('help')
    .description('show help of a command')
    .argument('[command...]', 'name of the command')
    .action((names: readonly string[]) => {
      let of = parent;
      for (const name of names) {
        const next = of.commands.find((each) => each.name() === name || each.aliases().includes(name));
        if (next === undefined) of.error(`error: unknown command '${name}'`);
        else of = next;
      }
      of.help();
    });
}

const commandIn =
  ({ env }: Context) =>
  (parent: Command, name: string, description: string, options: readonly OptionName[]): Command => {
    const made = parent.command(name).description(description);
    for (const option of options) {
      made.addOption(optionOf(option, env));
      // Every command with --url also takes --host, unless that is its own address, and --fingerprint and --record.
      if (option !== 'url') continue;
      if (!options.includes('host')) made.addOption(optionOf('hostName', env));
      made.addOption(optionOf('fingerprint', env));
      made.addOption(optionOf('record', env));
    }
    return made;
  };

const EXIT_HELP = `
Exit codes:
  ${EXIT.done}    the agent is done; for a prompt like "!make test", the command's own code
  ${EXIT.error}    an error; see the message
  ${EXIT.usage}    wrong usage
  ${EXIT.denied}    done, but a request of the agent was denied
  ${EXIT.cannotConnect}    no host, or the connection to it was lost
  ${EXIT.interrupted}  interrupted; the turn was cancelled`;

function example(made: Command, lines: readonly string[]): void {
  made.addHelpText('after', `\nExamples:\n${exampleLines(lines).join('\n')}`);
}
