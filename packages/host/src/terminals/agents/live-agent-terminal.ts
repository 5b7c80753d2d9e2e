import { outputOf, type TerminalClaim, type TerminalContentPart } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { AgentTerminal, TerminalUse } from '../../agents/agent-terminal.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { openClaim } from '../claims.ts';
import type { TerminalRunner } from '../output/terminal-runner.ts';
import { headOf } from '../scrollback/trim.ts';

/** A terminal for the agent that started it. The agent can read its output until it releases it. The channel stays in memory while the process runs. */
export class LiveAgentTerminal implements AgentTerminal {
  readonly uri: string;
  readonly title: string;
  readonly exited: Promise<{ readonly exitCode: number }>;
  readonly #sync: Sync;
  readonly #channel: Channel<'terminal'>;
  readonly #runner: TerminalRunner;
  readonly #chat: string;
  readonly #remove: () => Promise<void>;
  readonly #released: () => void;
  readonly #unpin: () => void;
  #detached = Promise.withResolvers<void>();
  /** A client sent it to the background, and the agent has not used it since. */
  #isDetached = false;
  #isReleased = false;

  constructor(parts: {
    sync: Sync;
    channel: Channel<'terminal'>;
    runner: TerminalRunner;
    chat: string;
    title: string;
    remove(): Promise<void>;
    released(): void;
  }) {
    this.uri = parts.channel.uri;
    this.title = parts.title;
    this.#sync = parts.sync;
    this.#channel = parts.channel;
    this.#runner = parts.runner;
    this.#chat = parts.chat;
    this.#remove = parts.remove;
    this.#released = parts.released;
    this.#unpin = parts.channel.pin();
    this.exited = parts.runner.ended.then(({ exitCode }) => {
      this.#letGo();
      return { exitCode };
    });
  }

  get detached(): Promise<void> {
    return this.#detached.promise;
  }

  /** A client narrowed the claim [TERM-5]. */
  sentToBackground(): void {
    this.#isDetached = true;
    this.#detached.resolve();
  }

  output(maxBytes: number): { text: string; isTruncated: boolean; exitCode?: number } {
    const { content, lifecycle } = this.#channel.state;
    return {
      ...newest(content, maxBytes),
      ...(lifecycle.status === 'exited' ? defined({ exitCode: lifecycle.exitCode }) : {}),
    };
  }

  write(data: string): void {
    this.#runner.pty.write(data);
  }

  use(by: TerminalUse | undefined): void {
    this.#sync.transact('host', (tx) => {
      const channel = this.#sync.registry.getOf('terminal', this.uri);
      if (channel === undefined || !this.#isIn(channel)) return;
      const { claim } = channel.state;
      if (claim.kind !== 'session' || claim.chat !== this.#chat) return;
      const next = openClaim(this.#sync, {
        kind: 'session',
        session: claim.session,
        chat: this.#chat,
        ...by,
      });
      if (!isSame(claim, next)) tx.emit(channel, { type: 'terminal/claimed', claim: next });
    });
    if (by === undefined || !this.#isDetached) return;
    this.#isDetached = false;
    this.#detached = Promise.withResolvers<void>();
  }

  kill(): Promise<void> {
    return this.#runner.pty.kill();
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#letGo();
    const channel = await this.#sync.registry.openOf('terminal', this.uri);
    if (channel === undefined || !this.#isIn(channel)) return;
    // A client wants it to keep running.
    if (channel.state.claim.kind === 'client' || this.#isDetached) return;
    await this.#runner.pty.kill();
    await this.#remove();
  }

  /** The process has ended or the agent released it: the channel may leave memory. */
  #letGo(): void {
    this.#released();
    this.#unpin();
  }

  /** Whether the channel under its URI still belongs to this terminal. */
  #isIn({ hostData }: Channel<'terminal'>): boolean {
    return hostData.pty === this.#runner.pty.id;
  }
}

const isSame = (left: TerminalClaim, right: TerminalClaim): boolean =>
  left.kind === 'session' &&
  right.kind === 'session' &&
  left.session === right.session &&
  left.turnId === right.turnId &&
  left.toolCallId === right.toolCallId;

/** The last `maxBytes` bytes of the output in UTF-8, without a partial character at the start. */
function newest(
  content: readonly TerminalContentPart[],
  maxBytes: number,
): { text: string; isTruncated: boolean } {
  // The head draws a screen; it is not the text that the program wrote.
  const isTrimmed = headOf(content) !== undefined;
  const texts: string[] = [];
  let length = 0;
  for (let index = content.length - 1; index >= (isTrimmed ? 1 : 0) && length <= maxBytes; index -= 1) {
    const part = content[index];
    if (part === undefined) continue;
    // Each code unit takes at least one byte.
    const text = outputOf(part).slice(-(maxBytes + 1));
    texts.unshift(text);
    length += text.length;
  }
  const all = Buffer.from(texts.join(''), 'utf8');
  if (all.length <= maxBytes) return { text: all.toString('utf8'), isTruncated: isTrimmed };
  let start = all.length - Math.max(0, maxBytes);
  while (start < all.length && ((all[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return { text: all.subarray(start).toString('utf8'), isTruncated: true };
}
