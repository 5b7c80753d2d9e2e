import { PassThrough } from 'node:stream';
import type { Context } from '../src/process/context.ts';

/** A context without a process: streams in memory, signals by the test. */
export class FakeContext implements Context {
  env: Record<string, string | undefined> = { LANG: 'C.UTF-8' };
  readonly cwd = '/work';
  readonly home = '/home/user';
  readonly platform = 'linux';
  readonly version = '1.2.3';
  readonly stdin: PassThrough & { isTTY?: boolean } = new PassThrough();
  readonly stdout: PassThrough & { isTTY?: boolean; columns?: number; rows?: number } = new PassThrough();
  readonly stderr: PassThrough & { isTTY?: boolean } = new PassThrough();
  readonly output = new AbortController();
  readonly exits: number[] = [];
  #out = '';
  #err = '';
  #listener: ((signal: NodeJS.Signals) => void) | undefined;

  constructor({ isTerminal = false } = {}) {
    if (isTerminal) this.stdin.isTTY = this.stdout.isTTY = this.stderr.isTTY = true;
    this.stdout.on('data', (chunk: Buffer) => {
      this.#out += chunk.toString();
    });
    this.stderr.on('data', (chunk: Buffer) => {
      this.#err += chunk.toString();
    });
  }

  get outputClosed(): AbortSignal {
    return this.output.signal;
  }

  /** Output on stdout so far. */
  get out(): string {
    return this.#out;
  }

  get err(): string {
    return this.#err;
  }

  onSignal(_signals: readonly NodeJS.Signals[], listener: (signal: NodeJS.Signals) => void): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = undefined;
    };
  }

  exitNow(code: number): void {
    this.exits.push(code);
  }

  /** Sends a signal to the listeners. */
  signal(signal: NodeJS.Signals): void {
    this.#listener?.(signal);
  }
}
