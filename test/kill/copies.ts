import type { AhpClient } from '@agenthost/client';
import type { Turn } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { expect } from 'vitest';

/** A fork that stays untouched. */
interface Copy {
  /** Chat, or session with one chat. */
  readonly uri: string;
  readonly turns: readonly Turn[];
  /** False: the host was killed before it confirmed the fork. */
  readonly isSure: boolean;
}

/** Forks that stay untouched. Each must keep the turns of the fork, whatever happens to its source [SESS-12]. */
export class Copies {
  #copies: Copy[] = [];
  /** Number of forks that were found correct. */
  checkedCount = 0;

  get uris(): ReadonlySet<string> {
    return new Set(this.#copies.map(({ uri }) => uri));
  }

  get sessions(): readonly string[] {
    return [...this.uris].filter((uri) => uri.startsWith('ahp-session:'));
  }

  add(copy: Copy): void {
    this.#copies.push(copy);
  }

  drop(uri: string): void {
    this.#copies = this.#copies.filter((copy) => copy.uri !== uri);
  }

  /** Fails unless all confirmed forks exist and are complete. */
  async check(client: AhpClient): Promise<void> {
    for (const copy of this.#copies) {
      const turns = await turnsOf(client, copy.uri);
      if (turns === undefined && !copy.isSure) this.drop(copy.uri);
      else {
        // The JSON is in the message, since a summary of results shows no more than the names of fields.
        expect(turns, `${copy.uri}: ${JSON.stringify([turns, copy.turns])}`).toEqual(copy.turns);
        this.checkedCount += 1;
      }
    }
    this.#copies = this.#copies.map((copy) => ({ ...copy, isSure: true }));
  }
}

/** All turns of a chat, or of the only chat of a session. `undefined` when the host does not know the URI. */
async function turnsOf(client: AhpClient, uri: string): Promise<readonly Turn[] | undefined> {
  try {
    let chat = uri;
    if (uri.startsWith('ahp-session:')) {
      const session = await client.subscribe(uri, { kind: 'session' });
      chat = session.confirmed.defaultChat ?? '';
      session.dispose();
    }
    const mirror = await client.subscribe(chat, { kind: 'chat' });
    mirror.dispose();
    return mirror.confirmed.turns;
  } catch (error) {
    if (error instanceof RpcError && [-32008, -32001].includes(error.code)) return undefined;
    throw error;
  }
}
