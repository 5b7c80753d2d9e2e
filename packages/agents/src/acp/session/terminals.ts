import { constants } from 'node:os';
import { isAbsolute } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import {
  type AgentSessionHost,
  type AgentTerminal,
  type TerminalUse,
  terminalText,
} from '@agenthost/host/agent';
import type { ToolResultContent } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import { type JsonObject, numberOf, objectsOf, stringOf, textOf } from '../json.ts';
import type { AcpLog } from '../runtime.ts';

/** Terminals that an agent may hold in one session. */
const MAX_TERMINALS = 64;
/** Default and greatest size of the output that an agent reads, in bytes. */
const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
/** Output that stays in the chat after a tool call, in bytes. */
const PREVIEW_BYTES = 64 * 1024;

const BACKGROUND_NOTE =
  '\n[The user has sent this terminal to the background: the command is still running there. Do not wait for it.]\n';

/** The exit of a process as reported to agents. */
export interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A terminal that an agent runs through the host, under the agent's id. */
export class SharedTerminal {
  readonly id: string;
  readonly #terminal: AgentTerminal;
  readonly #outputBytes: number;
  #use: TerminalUse | undefined;
  /** The use that a person ended by sending the terminal to the background. */
  #detachedFrom: TerminalUse | undefined;
  /** The content kept when the terminal was removed. */
  #rest: ToolResultContent[] | undefined;

  constructor(
    id: string,
    terminal: AgentTerminal,
    { outputBytes, use }: { outputBytes: number; use: TerminalUse | undefined },
  ) {
    this.id = id;
    this.#terminal = terminal;
    this.#outputBytes = outputBytes;
    this.#use = use;
    this.#watch();
  }

  /** A turn uses it, and no person has sent it to the background. */
  get isInUse(): boolean {
    return this.#use !== undefined && !this.hasExited;
  }

  get hasExited(): boolean {
    return this.#rest !== undefined || this.#terminal.output(0).exitCode !== undefined;
  }

  /** A person has sent it to the background, and no call has used it since. */
  get isDetached(): boolean {
    return this.#detachedFrom !== undefined;
  }

  get isReleased(): boolean {
    return this.#rest !== undefined;
  }

  /** Sets the tool call that shows it; `undefined` sends it to the background. */
  use(by: TerminalUse | undefined): void {
    if (this.isReleased || isSame(by, this.#use)) return;
    // Updates of the same call do not bring it back; another call does.
    if (this.isDetached && (by === undefined || isSame(by, this.#detachedFrom))) return;
    const isTakenBack = this.isDetached;
    this.#detachedFrom = undefined;
    this.#use = by;
    this.#terminal.use(by);
    if (isTakenBack) this.#watch();
  }

  /** For `terminal/output`: plain text, because models cannot use escape sequences. */
  output(): { output: string; truncated: boolean; exitStatus: ExitStatus | null } {
    const { text, isTruncated } = terminalText(this.#terminal, this.#outputBytes);
    const { exitCode } = this.#terminal.output(0);
    const note = this.isDetached && exitCode === undefined ? BACKGROUND_NOTE : '';
    return {
      output: `${text}${note}`,
      truncated: isTruncated,
      exitStatus: exitCode === undefined ? null : exitStatus(exitCode),
    };
  }

  /**
   * For `terminal/wait_for_exit`. When the terminal is sent to the background, it resolves without an exit
   * code.
   */
  waitForExit(): Promise<ExitStatus> {
    return Promise.race([
      this.#terminal.exited.then(({ exitCode }) => exitStatus(exitCode)),
      this.#terminal.detached.then(() => ({ exitCode: null, signal: null })),
    ]);
  }

  kill(): Promise<void> {
    return this.#terminal.kill();
  }

  /** Stops and removes it, unless a person has sent it to the background. */
  async release(): Promise<void> {
    if (this.isReleased) return;
    this.#rest = this.#shown(!this.isDetached);
    await this.#terminal.release();
  }

  /** Its content in a tool call: the live terminal while call and terminal last, then its output. */
  parts(isCallOver: boolean): ToolResultContent[] {
    return this.#rest ?? (isCallOver ? this.#shown(this.hasExited) : [this.#live()]);
  }

  #watch(): void {
    void this.#terminal.detached.then(() => {
      this.#detachedFrom = this.#use ?? { turnId: '' };
      this.#use = undefined;
    });
  }

  #live(): Extract<ToolResultContent, { type: 'terminal' }> {
    return { type: 'terminal', resource: this.#terminal.uri, title: this.#terminal.title };
  }

  /** The terminal and its output, which is a result only of a command that has ended. */
  #shown(hasEnded: boolean): ToolResultContent[] {
    const { text, isTruncated } = terminalText(this.#terminal, PREVIEW_BYTES);
    if (!hasEnded) return [this.#live(), ...(text === '' ? [] : [{ type: 'text' as const, text }])];
    const { exitCode } = this.#terminal.output(0);
    return [{ ...this.#live(), result: { preview: text, truncated: isTruncated, ...defined({ exitCode }) } }];
  }
}

const isSame = (one: TerminalUse | undefined, other: TerminalUse | undefined): boolean =>
  one?.turnId === other?.turnId && one?.toolCallId === other?.toolCallId;

/** The parts of a session that terminals use. */
export interface TerminalOwner {
  readonly host: AgentSessionHost;
  readonly workingDirectory: string;
  readonly log: AcpLog;
  /** The running turn. */
  turnId(): string | undefined;
  /** A terminal was removed; calls that show it show its last content. */
  released(terminal: SharedTerminal): Promise<void>;
}

/** Terminals that an agent requested in one session (`terminal/*`). Methods throw `RequestError`. */
export class SharedTerminals {
  readonly #owner: TerminalOwner;
  readonly #terminals = new Map<string, SharedTerminal>();
  #madeCount = 0;
  /** Number of calls that ended all terminals in use. */
  #endCount = 0;

  constructor(owner: TerminalOwner) {
    this.#owner = owner;
  }

  /**
   * The terminal that a tool call embeds, including terminals released in this turn. `undefined` for an
   * agent's own terminal.
   */
  find(id: string): SharedTerminal | undefined {
    return this.#terminals.get(id);
  }

  /** Runs a command and resolves with the terminal's id. */
  async create(params: JsonObject): Promise<string> {
    const command = textOf(params['command']);
    if (command === undefined) throw RequestError.invalidParams({ reason: 'command: expected a string' });
    const cwd = textOf(params['cwd']) ?? this.#owner.workingDirectory;
    if (!isAbsolute(cwd)) throw RequestError.invalidParams({ reason: 'cwd: expected an absolute path', cwd });
    const held = [...this.#terminals.values()].filter(({ isReleased }) => !isReleased).length;
    if (held >= MAX_TERMINALS) {
      const reason = `this session holds ${held} terminals, the most it may; release some`;
      throw RequestError.internalError({ reason }, reason);
    }
    const args = Array.isArray(params['args']) ? params['args'].map(String) : [];
    const turnId = this.#owner.turnId();
    const use = turnId === undefined ? undefined : { turnId };
    const endCount = this.#endCount;
    const terminal = await this.#start({
      // Without arguments, agents pass whole command lines.
      command: args.length === 0 ? command : [command, ...args],
      env: readEnv(params['env']),
      cwd,
      ...defined({ use }),
    });
    if (endCount !== this.#endCount) {
      await this.#tolerate(terminal.release());
      throw RequestError.internalError(
        { reason: 'cancelled' },
        'the turn that requested this terminal has ended',
      );
    }
    this.#madeCount += 1;
    const id = `terminal-${this.#madeCount}`;
    const limit = numberOf(params['outputByteLimit']) ?? DEFAULT_OUTPUT_BYTES;
    const outputBytes = Math.max(0, Math.min(limit, DEFAULT_OUTPUT_BYTES));
    this.#terminals.set(id, new SharedTerminal(id, terminal, { outputBytes, use }));
    return id;
  }

  /** The terminal that a request names. */
  named(params: JsonObject): SharedTerminal {
    const id = stringOf(params['terminalId']) ?? '';
    const terminal = this.#terminals.get(id);
    if (terminal === undefined || terminal.isReleased) {
      throw RequestError.resourceNotFound(`terminal ${id}`);
    }
    return terminal;
  }

  async release(params: JsonObject): Promise<void> {
    const terminal = this.named(params);
    await terminal.release();
    await this.#owner.released(terminal);
  }

  /**
   * A turn has ended. Running terminals continue in the background. After a cancel, terminals that no person
   * sent to the background are stopped, because the cancel includes them.
   */
  async endTurn(isCancelled: boolean): Promise<void> {
    if (isCancelled) await this.#endUsed();
    for (const terminal of this.#terminals.values()) {
      if (terminal.isReleased) this.#terminals.delete(terminal.id);
      else terminal.use(undefined);
    }
  }

  /**
   * The agent's session has ended: terminals in use are stopped, and ended ones are removed. Background
   * terminals stay with the chat's session [TERM-6].
   */
  async end(): Promise<void> {
    await this.#endUsed();
    for (const terminal of this.#terminals.values()) {
      if (terminal.hasExited || terminal.isDetached) await this.#tolerate(terminal.release());
    }
    this.#terminals.clear();
  }

  async #endUsed(): Promise<void> {
    this.#endCount += 1;
    const used = [...this.#terminals.values()].filter(({ isInUse }) => isInUse);
    await Promise.all(used.map((terminal) => this.#tolerate(terminal.kill())));
  }

  async #start(start: Parameters<AgentSessionHost['terminal']>[0]): Promise<AgentTerminal> {
    try {
      return await this.#owner.host.terminal(start);
    } catch (error) {
      const reason = errorText(error);
      throw RequestError.internalError({ details: reason }, reason);
    }
  }

  async #tolerate(ending: Promise<void>): Promise<void> {
    try {
      await ending;
    } catch (error) {
      this.#owner.log('warn', 'a terminal of an agent could not be ended cleanly', { error: String(error) });
    }
  }
}

function readEnv(value: unknown): Record<string, string> {
  const entries = objectsOf(value).flatMap((variable) => {
    const name = textOf(variable['name']);
    return name === undefined ? [] : [[name, stringOf(variable['value']) ?? ''] as const];
  });
  return Object.fromEntries(entries);
}

const signalNames = new Map<number, string>(
  Object.entries(constants.signals).map(([name, number]) => [number, name]),
);

function exitStatus(exitCode: number): ExitStatus {
  return { exitCode, signal: signalNames.get(exitCode - 128) ?? null };
}
