import type { TermAttachOptions } from '../commands/term/attach.ts';
import type { TermKillOptions } from '../commands/term/kill.ts';
import type { TermListOptions } from '../commands/term/list.ts';
import type { TermNewOptions } from '../commands/term/new.ts';
import type { TermRunOptions } from '../commands/term/run.ts';
import type { TermSendOptions } from '../commands/term/send.ts';
import type { TermWaitOptions } from '../commands/term/wait.ts';
import { EXIT } from '../process/exit.ts';
import type { CommandParts } from './command-builder.ts';
import type { OptionName } from './options.ts';

const TERM_CLIENT_OPTIONS: readonly OptionName[] = ['url', 'start', 'verbose'];

/** Adds `term` and all below it. */
export function addTermCommands({ context, screen, program, command, example, done }: CommandParts): void {
  const term = program
    .command('term')
    .description('create, show and use terminals that outlive their windows')
    .enablePositionalOptions();
  example(term, [
    'agenthost term new  a shell; Ctrl-] d detaches',
    'agenthost term list  all terminals and their holders',
    'agenthost term attach 4f2a  shows it here',
    'agenthost term run -- make test  output and exit code of one command',
  ]);
  addWindows({ context, screen, program: term, command, example, done });
  addScripts({ context, screen, program: term, command, example, done });
}

/** The commands for people. */
function addWindows({ context, screen, program: term, command, example, done }: CommandParts): void {
  const listing = command(term, 'list', 'list terminals, one line each', [
    'long',
    'json',
    ...TERM_CLIENT_OPTIONS,
  ]).action(async (options: TermListOptions) => {
    const { listTerminals } = await import('../commands/term/list.ts');
    done(await listTerminals(context, screen, options));
  });
  example(listing, ['agenthost term list', 'agenthost term list --long', 'agenthost term list --json']);

  const making = command(term, 'new', 'create a terminal and show it here', [
    'name',
    'cwd',
    'env',
    'size',
    'detach',
    'detachKey',
    'json',
    ...TERM_CLIENT_OPTIONS,
  ])
    .argument('[command...]', "program and arguments; without them, the user's shell")
    .passThroughOptions()
    .action(async (words: string[], options: TermNewOptions) => {
      const { newTerminal } = await import('../commands/term/new.ts');
      done(await newTerminal(context, screen, words, options));
    });
  example(making, [
    'agenthost term new',
    'agenthost term new --name api --detach -- npm run dev',
    'agenthost term new --env CI=1 --size 120x40 --detach',
  ]);

  const attaching = command(term, 'attach', 'show a terminal here, and type into it', [
    'claim',
    'detachKey',
    ...TERM_CLIENT_OPTIONS,
  ])
    .argument('<terminal>', 'id, the beginning of its id, or its number in the list')
    .action(async (given: string, options: TermAttachOptions) => {
      const { attachTerminal } = await import('../commands/term/attach.ts');
      done(await attachTerminal(context, screen, given, options));
    });
  example(attaching, ['agenthost term attach 4f2a', 'agenthost term attach 1 --claim']);
  attaching.addHelpText('after', ATTACH_HELP);
}

/** The commands for scripts. */
function addScripts({ context, screen, program: term, command, example, done }: CommandParts): void {
  const sending = command(term, 'send', 'type into a terminal', [
    'enter',
    'stdin',
    'key',
    'json',
    ...TERM_CLIENT_OPTIONS,
  ])
    .argument('<terminal>', 'id, the beginning of its id, or its number in the list')
    .argument('[text...]', 'text to type; words are joined by spaces')
    .action(async (given: string, words: string[], options: TermSendOptions) => {
      const { sendToTerminal } = await import('../commands/term/send.ts');
      done(await sendToTerminal(context, screen, [given, ...words], options));
    });
  example(sending, [
    'agenthost term send 4f2a "npm test" --enter',
    'agenthost term send 4f2a --key ctrl-c',
    'agenthost term send 4f2a --stdin < script.sh',
  ]);

  const waiting = command(term, 'wait', 'wait for a terminal', [
    'exit',
    'idle',
    'text',
    'timeout',
    'json',
    ...TERM_CLIENT_OPTIONS,
  ])
    .argument('<terminal>', 'id, the beginning of its id, or its number in the list')
    .action(async (given: string, options: TermWaitOptions) => {
      const { waitForTerminal } = await import('../commands/term/wait.ts');
      done(await waitForTerminal(context, screen, given, options));
    });
  example(waiting, [
    'agenthost term wait 4f2a  exits with its exit code',
    'agenthost term wait 4f2a --text "listening on" --timeout 30',
    'agenthost term wait 4f2a --idle 2000',
  ]);
  waiting.addHelpText('after', WAIT_HELP);

  const killing = command(term, 'kill', 'end terminals for everyone, or send a signal', [
    'signal',
    'json',
    ...TERM_CLIENT_OPTIONS,
  ])
    .argument('<terminal...>', 'ids, or beginnings of ids')
    .action(async (given: string[], options: TermKillOptions) => {
      const { killTerminals } = await import('../commands/term/kill.ts');
      done(await killTerminals(context, screen, given, options));
    });
  example(killing, ['agenthost term kill 4f2a', 'agenthost term kill 4f2a --signal INT']);

  const running = command(term, 'run', 'run a command in a new terminal', [
    'cwd',
    'env',
    'name',
    'size',
    'shell',
    'keep',
    'raw',
    'timeout',
    ...TERM_CLIENT_OPTIONS,
  ])
    .argument('<command...>', 'program and arguments')
    .passThroughOptions()
    .action(async (words: string[], options: TermRunOptions) => {
      const { runInTerminal } = await import('../commands/term/run.ts');
      done(await runInTerminal(context, screen, words, options));
    });
  example(running, [
    'agenthost term run -- make test',
    'agenthost term run --shell "grep -r TODO src | wc -l"',
    'agenthost term run --timeout 60 --keep -- ./flaky.sh',
  ]);
  running.addHelpText('after', RUN_HELP);
}

const ATTACH_HELP = `
Keys, after Ctrl-] or the key of --detach-key:
  d  detach: the terminal continues, and a session gets its claim back
  c  claim the terminal: while somebody else holds it, it is read-only here
  g  give the claim back
  r  redraw the window
  ?  show these keys
  Press the key twice to type it. Replies of this window to terminal queries of
  programs are dropped: the host has replied already. F3 with Shift, Alt or Ctrl
  in the first line looks like such a reply, and is passed on.

Exit codes:
  ${EXIT.done}    detached
  n    exit code of the process; ${EXIT.error}, ${EXIT.usage}, ${EXIT.cannotConnect} and ${EXIT.interrupted} as for every command`;

const WAIT_HELP = `
Exit codes:
  ${EXIT.done}    the terminal is idle, or the text appeared
  n    without --idle and --text: exit code of the process
  ${EXIT.error}    the process ended before the text appeared, or the terminal was removed
  ${EXIT.timedOut}  --timeout passed
  ${EXIT.usage}, ${EXIT.cannotConnect}, ${EXIT.interrupted}  wrong usage; no host; interrupted`;

const RUN_HELP = `
Exit codes:
  n    exit code of the command; 128 + n for signal n
  ${EXIT.timedOut}  --timeout passed, and the command was ended
  ${EXIT.error}, ${EXIT.usage}, ${EXIT.cannotConnect}, ${EXIT.interrupted}  an error; wrong usage; no host; interrupted; each with a message`;
