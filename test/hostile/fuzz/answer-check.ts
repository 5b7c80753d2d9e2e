import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Case } from './cases.ts';
import type { Frame } from './fuzz-connection.ts';

const INTERNAL_ERROR = -32603;

/** Checks the host's answers to cases. Throws with the seed and the case at the first invalid answer. */
export class AnswerCheck {
  readonly #seed: number;
  readonly #secrets: readonly string[];

  /** `dataDir` must not appear in an answer. */
  constructor(seed: number, dataDir: string) {
    this.#seed = seed;
    const repository = join(import.meta.dirname, '../../..');
    this.#secrets = [dataDir, repository, `${homedir()}/`, 'node:internal', '\n    at ', 'node_modules'];
  }

  /** Checks an answer: no internal error of the host, and no internals in error texts. */
  answer(asked: Case | undefined, answer: Frame): void {
    if (answer.error === undefined) return;
    if (answer.error.code === INTERNAL_ERROR) this.fail(asked, answer, 'was answered by a fault of the host');
    this.text(asked, answer, `${answer.error.message} ${JSON.stringify(answer.error.data ?? '')}`);
  }

  /** Checks a text for people in this frame. */
  text(asked: Case | undefined, answer: Frame, text: string): void {
    const found = this.#secrets.find(
      (secret) => text.includes(secret) && asked?.frame.includes(secret) !== true,
    );
    if (found !== undefined) this.fail(asked, answer, `tells of ${found}`);
  }

  fail(asked: Case | undefined, answer: unknown, what: string): never {
    const which =
      asked === undefined
        ? 'a case'
        : `case ${asked.index} (${asked.method}): ${asked.frame.slice(0, 2_000)}`;
    throw new Error(`seed ${this.#seed}, ${which} ${what}: ${JSON.stringify(answer).slice(0, 2_000)}`);
  }
}
