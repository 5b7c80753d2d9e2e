import { outputOf, type TerminalClaim, type TerminalContentPart } from '@agenthost/protocol';
import type { AgentTerminal, TerminalUse } from '../../agents/agent-terminal.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { openClaim } from '../claims.ts';
import type { TerminalRunner } from '../output/terminal-runner.ts';
import { headOf } from '../scrollback/trim.ts';

/** A terminal in the hands of the agent that started it, who has its output until it lets go. In the host's memory while it runs. */
export class LiveAgentTerminal implements AgentTerminal {
  readonly uri: string;
  readonly title: string;
  readonly exited: Promise<{ readonly exitCode: number }>;
  readonly #sync: Sync;
  readonly #channel: Channel<'terminal'>;
  readonly #runner: TerminalRunner;
  readonly #session: string;
  readonly #remove: () => void;
  readonly #released: () => void;
  readonly #unpin: () => void;
  #detached = Promise.withResolvers<void>();
  /** A person has sent it to the background, and the agent has not taken it up again. */
  #isDetached = false;
  #isReleased = false;

  constructor(parts: {
    sync: Sync;
    channel: Channel<'terminal'>;
    runner: TerminalRunner;
    session: string;
    title: string;
    remove(): void;
    released(): void;
  }) {
    this.uri = parts.channel.uri;
    this.title = parts.title;
    this.#sync = parts.sync;
    this.#channel = parts.channel;
    this.#runner = parts.runner;
    this.#session = parts.session;
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

  /** A person has narrowed the claim [TERM-5]. */
  sentToBackground(): void {
    this.#isDetached = true;
    this.#detached.resolve();
  }

  output(maxBytes: number): { text: string; isTruncated: boolean; exitCode?: number } {
    const { content, exitCode } = this.#channel.state;
    return {
      ...newest(content, maxBytes),
      ...(exitCode === undefined ? {} : { exitCode }),
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
      if (claim.kind !== 'session' || claim.session !== this.#session) return;
      const next = openClaim(this.#sync, { kind: 'session', session: this.#session, ...by });
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
    // Somebody wants it to go on.
    if (channel.state.claim.kind === 'client' || this.#isDetached) return;
    await this.#runner.pty.kill();
    this.#remove();
  }

  /** Nothing changes any more, or nobody asks: it may leave memory. */
  #letGo(): void {
    this.#released();
    this.#unpin();
  }

  /** Whether the channel under its URI is its own still. */
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

/** The last `maxBytes` bytes of the output in UTF-8, from a whole character on. */
function newest(
  content: readonly TerminalContentPart[],
  maxBytes: number,
): { text: string; isTruncated: boolean } {
  // What stands for trimmed output is a screen to be shown, and no text.
  const isTrimmed = headOf(content) !== undefined;
  const texts: string[] = [];
  let length = 0;
  for (let index = content.length - 1; index >= (isTrimmed ? 1 : 0) && length <= maxBytes; index -= 1) {
    const part = content[index];
    if (part === undefined) continue;
    // No code unit takes less than a byte.
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
