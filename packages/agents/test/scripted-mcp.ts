import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A server entry as an ACP client sends it. */
export interface ServerEntry {
  command: string;
  args: string[];
  env: { name: string; value: string }[];
}

interface Answer {
  id?: number;
  method?: string;
  result?: unknown;
  error?: unknown;
}

/** A minimal client of an MCP server. */
export class McpClient {
  readonly notes: string[] = [];
  /** Resolves with the exit code. */
  readonly exited: Promise<number | null>;
  readonly #child;
  readonly #answers = new Map<number, (answer: Answer) => void>();
  #count = 0;
  #ready: Promise<unknown> | undefined;

  constructor({ command, args, env }: ServerEntry) {
    this.#child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
    });
    this.exited = new Promise((resolve) => this.#child.once('exit', resolve));
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as Answer;
      if (answer.method !== undefined) this.notes.push(answer.method);
      else this.#answers.get(answer.id ?? -1)?.(answer);
    });
  }

  async request(method: string, params: object): Promise<Answer> {
    this.#ready ??= this.#initialize();
    await this.#ready;
    return this.#send(method, params);
  }

  /** Sends a request and cancels it. No answer follows. */
  async requestAndCancel(method: string, params: object): Promise<void> {
    this.#ready ??= this.#initialize();
    await this.#ready;
    void this.#send(method, params);
    this.#write({ method: 'notifications/cancelled', params: { requestId: this.#count } });
  }

  async #initialize(): Promise<void> {
    const clientInfo = { name: 'scripted', version: '1' };
    await this.#send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.#write({ method: 'notifications/initialized' });
  }

  #send(method: string, params: object): Promise<Answer> {
    this.#count += 1;
    const id = this.#count;
    this.#write({ id, method, params });
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  #write(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
