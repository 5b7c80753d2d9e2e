import { isAbsolute, resolve } from 'node:path';
import { errorText } from '@agenthost/protocol/values';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ChildRegistry } from '../../agents/provider.ts';
import { expandVariables, type StdioEntry } from '../../config/mcp-servers.ts';
import type { Timers } from '../../lib/clock.ts';
import { findProgram } from './find-program.ts';
import { MessageLines } from './message-lines.ts';
import { ServerProgram } from './program.ts';

/** JSON-RPC internal error. */
const INTERNAL_ERROR = -32603;

/** Variables of the host that every server gets; others only by its entry. Tokens of the host are not among them. */
const INHERITED = [
  'HOME',
  'LANG',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
  'XDG_RUNTIME_DIR',
];

/** How a program is started. */
export interface StdioOptions {
  readonly entry: StdioEntry;
  /** Working directory of the session: an absolute path. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly children: ChildRegistry;
  readonly timers: Timers;
  /** Larger messages are refused, and the call that they answer fails. */
  readonly limitBytes: number;
  parse(text: string): JSONRPCMessage;
  onErrorText(text: string): void;
}

/** Messages over the standard input and output of a server's program. */
export class StdioTransport implements Transport {
  readonly #options: StdioOptions;
  readonly #lines: MessageLines;
  #program: ServerProgram | undefined;
  #isClosed = false;
  /** How the program has exited, in words. */
  exit: string | undefined;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#lines = new MessageLines(options.limitBytes);
  }

  async start(): Promise<void> {
    const { entry, folder, environment, children, timers } = this.#options;
    const inherited = INHERITED.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    const own = Object.entries(entry.env).map(
      ([name, value]) => [name, expandVariables(value, environment)] as const,
    );
    const cwd = expandVariables(entry.cwd ?? '.', environment);
    const file = expandVariables(entry.command, environment);
    const env = Object.fromEntries([...inherited, ...own]);
    const folderOfProgram = isAbsolute(cwd) ? cwd : resolve(folder, cwd);
    await findProgram(file, { cwd: folderOfProgram, path: env['PATH'] });
    this.#program = await ServerProgram.start({
      file,
      args: entry.args.map((each) => expandVariables(each, environment)),
      cwd: folderOfProgram,
      env,
      children,
      timers,
      onOutput: (chunk) => this.#read(chunk),
      onErrorText: (text) => this.#options.onErrorText(text),
      onExit: (how) => {
        this.exit = how;
        this.#closed();
      },
    });
    if (this.#isClosed) await this.#program.stop();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#program === undefined || this.#isClosed) throw new Error('the server has ended');
    await this.#program.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves when the program and its process group have ended. */
  async close(): Promise<void> {
    this.#closed();
    await this.#program?.stop();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    if (this.#isClosed) return;
    for (const line of this.#lines.read(chunk)) {
      try {
        if (typeof line !== 'string') this.#refuse(line.id, line.bytes);
        else if (line.trim() !== '') this.onmessage?.(this.#options.parse(line));
      } catch (error) {
        // Some servers write their log to standard output.
        this.onerror?.(new Error(`a line of the server is no message: ${errorText(error)}`));
      }
    }
  }

  #refuse(id: string | number | undefined, bytes: number): void {
    const limit = `${this.#options.limitBytes / 1024 / 1024} MiB`;
    const message = `The server answered with ${bytes} bytes; a message may have at most ${limit}`;
    if (id === undefined) this.onerror?.(new Error(message));
    else this.onmessage?.({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } });
  }
}
