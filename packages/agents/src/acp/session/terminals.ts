import { constants } from 'node:os';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
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

/** Terminals that an agent may hold at once in one session. */
const MAX_TERMINALS = 64;
/** Output that an agent gets when it names no limit, and the most that it gets. */
const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
/** How much output stays in the chat once a tool call is over. */
const PREVIEW_BYTES = 64 * 1024;

const BACKGROUND_NOTE =
  '\n[The user has sent this terminal to the background: the command is still running there. Do not wait for it.]\n';

/** How a process ended, as agents are told. */
export interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A terminal that an agent runs through the host, under the id that the agent has for it. */
export class SharedTerminal {
  readonly id: string;
  readonly #terminal: AgentTerminal;
  readonly #cwd: string;
  readonly #outputBytes: number;
  #use: TerminalUse | undefined;
  /** The use that a person ended by sending it to the background. */
  #detachedFrom: TerminalUse | undefined;
  /** What was left of it when it was removed. */
  #rest: ToolResultContent | undefined;

  constructor(
    id: string,
    terminal: AgentTerminal,
    { cwd, outputBytes, use }: { cwd: string; outputBytes: number; use: TerminalUse | undefined },
  ) {
    this.id = id;
    this.#terminal = terminal;
    this.#cwd = cwd;
    this.#outputBytes = outputBytes;
    this.#use = use;
    this.#watch();
  }

  /** A turn waits for it, and no person has sent it to the background. */
  get isInUse(): boolean {
    return this.#use !== undefined && !this.hasExited;
  }

  get hasExited(): boolean {
    return this.#rest !== undefined || this.#terminal.output(0).exitCode !== undefined;
  }

  /** A person has sent it to the background, and no call has taken it up again. */
  get isDetached(): boolean {
    return this.#detachedFrom !== undefined;
  }

  get isReleased(): boolean {
    return this.#rest !== undefined;
  }

  /** Says which tool call shows it; `undefined` sends it to the background. */
  use(by: TerminalUse | undefined): void {
    if (this.isReleased || isSame(by, this.#use)) return;
    // What the agent goes on saying of that call does not take it back; another call does.
    if (this.isDetached && (by === undefined || isSame(by, this.#detachedFrom))) return;
    const isTakenBack = this.isDetached;
    this.#detachedFrom = undefined;
    this.#use = by;
    this.#terminal.use(by);
    if (isTakenBack) this.#watch();
  }

  /** For `terminal/output`: plain text, since models make nothing of escape sequences. */
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

  /** For `terminal/wait_for_exit`: an agent whose terminal was sent to the background is not kept waiting, and told no exit code. */
  waitForExit(): Promise<ExitStatus> {
    return Promise.race([
      this.#terminal.exited.then(({ exitCode }) => exitStatus(exitCode)),
      this.#terminal.detached.then(() => ({ exitCode: null, signal: null })),
    ]);
  }

  kill(): Promise<void> {
    return this.#terminal.kill();
  }

  /** Ends and removes it; one that a person has sent to the background goes on there. */
  async release(): Promise<void> {
    if (this.isReleased) return;
    const { resource, ...rest } = this.#complete();
    this.#rest = this.isDetached ? { ...rest, resource } : rest;
    await this.#terminal.release();
  }

  /** How it shows in a tool call that embeds it: live while call and terminal last, then what it printed. */
  parts(isCallOver: boolean): ToolResultContent[] {
    if (this.#rest !== undefined) return [this.#rest];
    const live: ToolResultContent = {
      type: 'terminal',
      resource: this.#terminal.uri,
      title: this.#terminal.title,
    };
    if (!isCallOver) return [live];
    // What goes on can still be watched.
    return this.hasExited ? [this.#complete()] : [live, this.#complete()];
  }

  #watch(): void {
    void this.#terminal.detached.then(() => {
      this.#detachedFrom = this.#use ?? { turnId: '' };
      this.#use = undefined;
    });
  }

  #complete(): Extract<ToolResultContent, { type: 'terminalComplete' }> & { resource: string } {
    const { text, isTruncated } = terminalText(this.#terminal, PREVIEW_BYTES);
    const { exitCode } = this.#terminal.output(0);
    return {
      type: 'terminalComplete',
      resource: this.#terminal.uri,
      cwd: pathToFileURL(this.#cwd).href,
      preview: text,
      truncated: isTruncated,
      ...defined({ exitCode }),
    };
  }
}

const isSame = (one: TerminalUse | undefined, other: TerminalUse | undefined): boolean =>
  one?.turnId === other?.turnId && one?.toolCallId === other?.toolCallId;

/** What terminals ask of the session whose they are. */
export interface TerminalOwner {
  readonly host: AgentSessionHost;
  readonly workingDirectory: string;
  readonly log: AcpLog;
  /** The turn that is running. */
  turnId(): string | undefined;
  /** A terminal has gone: calls that show it show what is left. */
  released(terminal: SharedTerminal): Promise<void>;
}

/** The terminals that an agent asked for in one session (`terminal/*`). Methods throw `RequestError` on what cannot be. */
export class SharedTerminals {
  readonly #owner: TerminalOwner;
  readonly #terminals = new Map<string, SharedTerminal>();
  #madeCount = 0;
  /** How often everything that was used was ended. */
  #endCount = 0;

  constructor(owner: TerminalOwner) {
    this.#owner = owner;
  }

  /** The terminal that a tool call embeds, released ones of this turn included; `undefined` for one of the agent's own. */
  find(id: string): SharedTerminal | undefined {
    return this.#terminals.get(id);
  }

  /** Runs a command; resolves with the terminal's id. */
  async create(params: JsonObject): Promise<string> {
    const command = textOf(params['command']);
    if (command === undefined) throw RequestError.invalidParams({ reason: 'command is no text' });
    const cwd = textOf(params['cwd']) ?? this.#owner.workingDirectory;
    if (!isAbsolute(cwd)) throw RequestError.invalidParams({ reason: 'cwd is not absolute', cwd });
    const held = [...this.#terminals.values()].filter(({ isReleased }) => !isReleased).length;
    if (held >= MAX_TERMINALS) {
      const reason = `${held} terminals are held already; release some`;
      throw RequestError.internalError({ reason }, reason);
    }
    const args = Array.isArray(params['args']) ? params['args'].map(String) : [];
    const turnId = this.#owner.turnId();
    const use = turnId === undefined ? undefined : { turnId };
    const endCount = this.#endCount;
    const terminal = await this.#start({
      // Without arguments agents give whole command lines.
      command: args.length === 0 ? command : [command, ...args],
      env: readEnv(params['env']),
      cwd,
      ...defined({ use }),
    });
    if (endCount !== this.#endCount) {
      await this.#tolerate(terminal.release());
      throw RequestError.internalError({ reason: 'cancelled' }, 'what wanted this terminal is over');
    }
    this.#madeCount += 1;
    const id = `terminal-${this.#madeCount}`;
    const limit = numberOf(params['outputByteLimit']) ?? DEFAULT_OUTPUT_BYTES;
    const outputBytes = Math.max(0, Math.min(limit, DEFAULT_OUTPUT_BYTES));
    this.#terminals.set(id, new SharedTerminal(id, terminal, { cwd, outputBytes, use }));
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
   * A turn is over. What it left running goes on in the background; after a cancel what nobody sent there is ended, since the person
   * meant that too.
   */
  async endTurn(isCancelled: boolean): Promise<void> {
    if (isCancelled) await this.#endUsed();
    for (const terminal of this.#terminals.values()) {
      if (terminal.isReleased) this.#terminals.delete(terminal.id);
      else terminal.use(undefined);
    }
  }

  /**
   * The agent's session is over: what a turn waited for is ended, and what has ended is removed. What runs in the background stays with
   * the chat's session [TERM-6].
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
      this.#owner.log('warn', 'a terminal of an agent did not end cleanly', { error: String(error) });
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
