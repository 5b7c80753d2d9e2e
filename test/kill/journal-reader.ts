import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { ActionEnvelope } from '@agenthost/protocol';

const program = join(import.meta.dirname, 'read-journal.ts');

/** A process that reads the journals of killed hosts. */
export class JournalReader {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: Interface;
  readonly #gone: Promise<unknown>;

  constructor() {
    this.#child = spawn(process.execPath, ['-C', '@agenthost/source', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#lines = createInterface({ input: this.#child.stdout });
    this.#gone = once(this.#child, 'exit');
  }

  /** Resolves with the envelopes above a number, oldest first. Reads a copy, because opening a journal repairs it after a kill. */
  async read(dataDir: string, after: number, channels: readonly string[]): Promise<ActionEnvelope[]> {
    const copy = await mkdtemp(join(tmpdir(), 'agenthost-journal-'));
    try {
      // Sockets of keepers cannot be copied.
      await cp(dataDir, copy, { recursive: true, filter: (source) => basename(source) !== 'keepers' });
      const answer = new Promise<string>((resolve, reject) => {
        this.#lines.once('line', resolve);
        void this.#gone.then(() => reject(new Error('the reader of journals has failed')));
      });
      this.#child.stdin.write(`${JSON.stringify({ folder: copy, after, channels })}\n`);
      return JSON.parse(await answer);
    } finally {
      await rm(copy, { recursive: true });
    }
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    await this.#gone;
  }
}
