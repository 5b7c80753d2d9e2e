import { contentText, type TerminalHandle } from '@agenthost/client';
import type { ActiveTurn } from '@agenthost/protocol';
import { plain } from '../../render/plain-text.ts';
import { type Environment, messageOf } from '../app/environment.ts';

const TAIL_LINES = 6;
/** Enough for the lines that show, and for most of what repaints them. */
const TAIL_CHARACTERS = 8 * 1024;

/** The last lines that an output leaves on a screen, as far as plain text says: what a carriage return writes over is gone. */
export function lastLines(output: string, count = TAIL_LINES): string[] {
  const rows = plain(
    output
      .slice(-TAIL_CHARACTERS)
      .replace(/\r+\n/g, '\n')
      .replace(/[^\n]*\r(?=[^\n])/g, ''),
  )
    .trimEnd()
    .split('\n');
  return rows.slice(-count);
}

/** Looks into the terminals in which tool calls of a running turn work. */
export class TerminalTails {
  readonly #env: Environment;
  readonly #open = new Map<string, TerminalHandle | undefined>();

  constructor(env: Environment) {
    this.#env = env;
  }

  /** The last lines of a terminal that is looked into. */
  tail = (uri: string): readonly string[] | undefined => {
    const handle = this.#open.get(uri);
    return handle === undefined ? undefined : lastLines(contentText(handle.state.content));
  };

  /** Looks into the terminals of this turn, and no longer into others. */
  follow(turn: ActiveTurn | undefined): void {
    const wanted = new Set(terminalsOf(turn, 'running'));
    for (const [uri, handle] of this.#open) {
      if (wanted.has(uri)) continue;
      handle?.close();
      this.#open.delete(uri);
    }
    for (const uri of wanted) if (!this.#open.has(uri)) void this.#look(uri);
  }

  dispose(): void {
    this.follow(undefined);
  }

  async #look(uri: string): Promise<void> {
    this.#open.set(uri, undefined);
    try {
      const handle = await this.#env.client.terminal(uri, { maxLatencyMs: 100 });
      if (!this.#open.has(uri)) return handle.close();
      this.#open.set(uri, handle);
      handle.mirror.onChange(() => this.#env.changed());
      this.#env.changed();
    } catch (error) {
      // It stays in the list, so that it is not tried again at every frame.
      this.#env.notice(`cannot show the terminal: ${messageOf(error)}`, 'problem');
    }
  }
}

/** Terminals that the calls of a turn show, the latest last; only of calls with that status when one is given. */
export function terminalsOf(
  turn: Pick<ActiveTurn, 'responseParts'> | undefined,
  status?: 'running',
): string[] {
  const found: string[] = [];
  for (const part of turn?.responseParts ?? []) {
    if (part.kind !== 'toolCall' || !('content' in part.toolCall)) continue;
    if (status !== undefined && part.toolCall.status !== status) continue;
    for (const content of part.toolCall.content ?? [])
      if (content.type === 'terminal') found.push(content.resource);
  }
  return found;
}
