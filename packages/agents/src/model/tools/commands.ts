import { type AgentTerminal, endOf, type TerminalEnd, terminalText } from '@agenthost/host/agent';
import type { ToolResultContent } from '@agenthost/protocol';
import { codeSpan } from './code-span.ts';
import { flagIn, optionalCount, parseEdited, textIn } from './input.ts';
import { sandboxed, sandboxState, type WorkingSandbox } from './sandbox.ts';
import { sharedGitFolder } from './shared-git-folder.ts';
import { approve, MAX_RESULT_LENGTH, type ModelTool, succeed, ToolFailure, type ToolRun } from './tool.ts';

/** Time that a command may run, in seconds. */
const DEFAULT_LIMIT_S = 600;
const MAX_LIMIT_S = 3_600;
/** Time that is waited for the first output of a command in the background, in milliseconds. */
const FIRST_OUTPUT_MS = 1_500;
/** Terminals of ended commands that are kept. The oldest is removed first. */
const MAX_ENDED = 8;

/** What commands of a session may see. */
export interface CommandPlace {
  /** Variables with keys, which commands do not get. */
  readonly secretVariables: readonly string[];
  /** Finds the files and folders that commands in a sandbox do not see: data and keys of the host. */
  hidden(): Promise<readonly string[]>;
}

/** The commands that a model runs in terminals of the host, in one session. */
export class Commands {
  readonly #place: CommandPlace;
  readonly #running = new Map<string, AgentTerminal>();
  readonly #ended: AgentTerminal[] = [];
  #count = 0;
  #isTold = false;

  constructor(place: CommandPlace) {
    this.#place = place;
  }

  /** The tools that run commands. */
  get tools(): readonly ModelTool[] {
    return [this.#runTool, this.#backgroundTool];
  }

  readonly #runTool: ModelTool = {
    name: 'run_command',
    displayName: 'Run command',
    kind: 'execute',
    description: `Runs a shell command in the working directory, in a terminal that people see. Returns its output and exit code. Ends after "timeout" seconds (default ${DEFAULT_LIMIT_S}). With "background" it goes on while you work, as for servers. The command gets no input from you: use flags that answer questions.`,
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string' },
        timeout: { type: 'integer', description: `seconds, at most ${MAX_LIMIT_S}` },
        background: { type: 'boolean' },
      },
      required: ['command'],
    },
    run: async (input, run) => {
      const asked = textIn(input, 'command');
      const given = await approve(run, {
        invocationMessage: { markdown: `Run ${codeSpan(asked)}` },
        confirmationTitle: { markdown: `Run ${codeSpan(asked)}?` },
        kind: 'execute',
        editable: true,
      });
      const wanted = given === run.toolInput ? input : parseEdited(given);
      const command = textIn(wanted, 'command');
      const limitS = Math.min(optionalCount(wanted, 'timeout') ?? DEFAULT_LIMIT_S, MAX_LIMIT_S);
      if (flagIn(wanted, 'background')) return this.#start(run, command);
      return run.exclusive(() => this.#finish(run, command, limitS));
    },
  };

  readonly #backgroundTool: ModelTool = {
    name: 'background_command',
    displayName: 'Background command',
    kind: 'execute',
    description: 'Reads the latest output of a command that run_command left in the background, or stops it.',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, stop: { type: 'boolean' } },
      required: ['id'],
    },
    run: async (input, run) => {
      const id = textIn(input, 'id');
      const terminal = this.#running.get(id);
      if (terminal === undefined) throw new ToolFailure(`There is no background command ${id}`);
      const isStopped = flagIn(input, 'stop');
      run.handle.run({
        invocationMessage: `${isStopped ? 'Stop' : 'Read'} ${terminal.title}`,
        toolInput: run.toolInput,
      });
      if (isStopped) await terminal.kill();
      const { exitCode } = terminal.output(0);
      if (exitCode !== undefined || isStopped) {
        this.#running.delete(id);
        await this.#retire(terminal);
      }
      return succeed(run, {
        past: `${isStopped ? 'Stopped' : 'Read'} ${terminal.title}`,
        text: report(terminal, exitCode === undefined && !isStopped ? 'It is still running.' : undefined),
      });
    },
  };

  /** Releases what has ended. The host ends commands in the background with its own session. */
  async close(): Promise<void> {
    await Promise.all(this.#ended.splice(0).map((terminal) => terminal.release()));
  }

  async #finish(run: ToolRun, command: string, limitS: number) {
    const terminal = await this.#open(run, command);
    run.handle.content([block(terminal)]);
    const end = await this.#wait(run, terminal, limitS * 1_000);
    if (end === 'aborted') await terminal.kill();
    run.signal.throwIfAborted();
    if (end === 'detached') return this.#leave(run, terminal, command, 'The user sent it to the background.');
    const { exitCode } = await terminal.exited;
    terminal.use(undefined);
    const text = report(terminal, end === 'aborted' ? `It was ended after ${limitS} s.` : undefined);
    const result = terminalText(terminal, MAX_RESULT_LENGTH);
    await this.#retire(terminal);
    const isFailure = end === 'aborted' || exitCode !== 0;
    return succeed(run, {
      past: { markdown: `Ran ${codeSpan(command)}` },
      text,
      content: [
        { ...block(terminal), result: { preview: result.text, truncated: result.isTruncated, exitCode } },
      ],
      success: !isFailure,
      error: end === 'aborted' ? `Ended after ${limitS} s` : `Exit code ${exitCode}`,
    });
  }

  /** Waits until a command ends, a person sends it to the background, the turn is cancelled, or the time is over. */
  #wait(run: ToolRun, terminal: AgentTerminal, limitMs: number): Promise<TerminalEnd> {
    const limit = new AbortController();
    const cancelLimit = run.timers.after(limitMs, () => limit.abort());
    return endOf(terminal, AbortSignal.any([run.signal, limit.signal])).finally(cancelLimit);
  }

  async #start(run: ToolRun, command: string) {
    const terminal = await this.#open(run, command);
    run.handle.content([block(terminal)]);
    const end = await this.#wait(run, terminal, FIRST_OUTPUT_MS);
    if (run.signal.aborted) await terminal.kill();
    run.signal.throwIfAborted();
    return this.#leave(run, terminal, command, end === 'exited' ? 'It has ended already.' : 'It is running.');
  }

  async #leave(run: ToolRun, terminal: AgentTerminal, command: string, state: string) {
    this.#count += 1;
    const id = `command-${this.#count}`;
    this.#running.set(id, terminal);
    terminal.use(undefined);
    const text = report(terminal, `${state} Its id for background_command is ${id}.`);
    return succeed(run, {
      past: { markdown: `Left ${codeSpan(command)} running` },
      text,
      content: [block(terminal), { type: 'text', text }],
    });
  }

  async #open(run: ToolRun, command: string): Promise<AgentTerminal> {
    const state = run.settings.sandbox ? await sandboxState() : undefined;
    if (state?.works === false && !this.#isTold) {
      this.#isTold = true;
      run.output.notify(`Commands of this agent run without a sandbox: ${state.reason}.`);
    }
    run.signal.throwIfAborted();
    return run.host.terminal({
      command: state?.works === true ? await this.#confined(state, run, command) : command,
      title: command.length > 80 ? `${command.slice(0, 79)}…` : command,
      env: Object.fromEntries(this.#place.secretVariables.map((name) => [name, ''])),
      use: { turnId: run.turnId, toolCallId: run.handle.id },
    });
  }

  async #confined({ options }: WorkingSandbox, { folder }: ToolRun, command: string) {
    const folders = [folder.path, ...(folder.more ?? [])];
    const shared = await Promise.all(folders.map(sharedGitFolder));
    return sandboxed(command, {
      options,
      folders,
      gitFolders: shared.filter((path) => path !== undefined),
      hidden: await this.#place.hidden(),
    });
  }

  async #retire(terminal: AgentTerminal): Promise<void> {
    this.#ended.push(terminal);
    const gone = this.#ended.splice(0, this.#ended.length - MAX_ENDED);
    await Promise.all(gone.map((each) => each.release()));
  }
}

const block = (terminal: AgentTerminal): Extract<ToolResultContent, { type: 'terminal' }> => ({
  type: 'terminal',
  resource: terminal.uri,
  title: terminal.title,
});

/** What the model gets of a terminal. */
function report(terminal: AgentTerminal, note: string | undefined): string {
  const { text, isTruncated } = terminalText(terminal, MAX_RESULT_LENGTH - 500);
  const { exitCode } = terminal.output(0);
  return [
    ...(isTruncated ? ['(the beginning of the output is left out)'] : []),
    ...(text.trim() === '' ? ['(no output)'] : [text.trimEnd()]),
    ...(exitCode === undefined ? [] : [`Exit code: ${exitCode}`]),
    ...(note === undefined ? [] : [note]),
  ].join('\n');
}
