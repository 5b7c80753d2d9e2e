import type { AgentTerminal, AgentTerminalStart, TerminalUse } from '@agenthost/host/agent';
import { defined } from '@agenthost/protocol/values';

/** A terminal without a process: a test plays its output and exit, and reads the agent's calls. */
export class RecordingTerminal implements AgentTerminal {
  readonly uri: string;
  readonly title: string;
  readonly start: AgentTerminalStart;
  readonly exited: Promise<{ readonly exitCode: number }>;
  /** All typed texts, oldest first. */
  readonly written: string[] = [];
  /** All uses, starting with the initial one. */
  readonly uses: (TerminalUse | undefined)[];
  killCount = 0;
  releaseCount = 0;
  /** Called with typed text; answer with `print`. */
  onWrite: (data: string) => void = () => undefined;
  #output = '';
  #exitCode: number | undefined;
  readonly #exit = Promise.withResolvers<{ readonly exitCode: number }>();
  #detach = Promise.withResolvers<void>();
  #isDetached = false;

  constructor(uri: string, start: AgentTerminalStart) {
    this.uri = uri;
    this.start = start;
    this.title = start.title ?? (typeof start.command === 'string' ? start.command : start.command.join(' '));
    this.uses = [start.use];
    this.exited = this.#exit.promise;
  }

  get detached(): Promise<void> {
    return this.#detach.promise;
  }

  get isRunning(): boolean {
    return this.#exitCode === undefined;
  }

  /** Adds output of the process. */
  print(text: string): void {
    this.#output += text;
  }

  /** Ends the process. */
  exit(exitCode = 0): void {
    this.#exitCode ??= exitCode;
    this.#exit.resolve({ exitCode: this.#exitCode });
  }

  /** Sends the terminal to the background, as a user does. */
  detach(): void {
    this.#isDetached = true;
    this.#detach.resolve();
  }

  output(maxBytes: number): { text: string; isTruncated: boolean; exitCode?: number } {
    // Counts characters as bytes: tests that check the limit print ASCII.
    const text = this.#output.slice(Math.max(0, this.#output.length - maxBytes));
    const isTruncated = text.length < this.#output.length;
    return { text, isTruncated, ...defined({ exitCode: this.#exitCode }) };
  }

  write(data: string): void {
    this.written.push(data);
    this.onWrite(data);
  }

  use(by: TerminalUse | undefined): void {
    this.uses.push(by);
    if (by === undefined || !this.#isDetached) return;
    this.#isDetached = false;
    this.#detach = Promise.withResolvers();
  }

  async kill(): Promise<void> {
    this.killCount += 1;
    // The exit code of a process that SIGTERM killed.
    this.exit(143);
  }

  async release(): Promise<void> {
    this.releaseCount += 1;
    if (!this.#isDetached) await this.kill();
  }
}
