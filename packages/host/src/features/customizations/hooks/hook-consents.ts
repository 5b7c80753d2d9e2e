import { createHash } from 'node:crypto';
import type { Sync } from '../../../sync/sync.ts';
import type { ParsedChild } from '../child.ts';

const KEY = 'hookConsents';
/** Maximum consents that are kept. The oldest are removed above it, and asked for again. */
const MAX_CONSENTS = 1_000;

/** The hooks that people have allowed, by place and content: a changed hook is a new question. Durable. */
export class HookConsents {
  readonly #sync: Sync;
  /** Fingerprints, oldest first. */
  #allowed: readonly string[];

  private constructor(sync: Sync, allowed: readonly string[]) {
    this.#sync = sync;
    this.#allowed = allowed;
  }

  static async load(sync: Sync): Promise<HookConsents> {
    const text = await sync.journal.readMeta(KEY);
    // `allow` wrote the value.
    const allowed: string[] = text === undefined ? [] : JSON.parse(text);
    return new HookConsents(sync, allowed);
  }

  has(hook: ParsedChild): boolean {
    return this.#allowed.includes(fingerprintOf(hook));
  }

  /** Resolves when the consents are durable. */
  async allow(hooks: readonly ParsedChild[]): Promise<void> {
    const added = hooks.map(fingerprintOf);
    const allowed = [...this.#allowed.filter((each) => !added.includes(each)), ...added].slice(-MAX_CONSENTS);
    await this.#sync.commit('host', (tx) => {
      const before = this.#allowed;
      this.#allowed = allowed;
      tx.undo(() => {
        this.#allowed = before;
      });
      tx.write({ op: 'meta', key: KEY, value: JSON.stringify(allowed) });
    });
  }
}

function fingerprintOf({ child: { uri }, commands = [] }: ParsedChild): string {
  const content = commands.map(({ event, command, matcher = '', limitMs }) => [
    event,
    command,
    matcher,
    limitMs,
  ]);
  return createHash('sha256')
    .update(JSON.stringify([uri, content]))
    .digest('base64url');
}
