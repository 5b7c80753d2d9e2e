import {
  type ActionEnvelope,
  hasExited,
  type TerminalClaim,
  type TerminalSignal,
  type TerminalState,
  type URI,
} from '@agenthost/protocol';
import { ChannelLost } from '../errors.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import { type ContentPlace, contentPlace, contentText } from './terminal-content.ts';

/** The holder of a terminal, seen from this client. */
export type TerminalHolder =
  | { readonly kind: 'me' }
  | { readonly kind: 'client'; readonly clientId: string }
  /** Without a turn the terminal runs in the background. */
  | {
      readonly kind: 'session';
      readonly session: URI;
      readonly chat: URI;
      readonly turnId?: string;
      readonly toolCallId?: string;
    };

/** A new holder of a terminal. */
export type ClaimTarget =
  | 'me'
  | { readonly session: URI; readonly chat: URI; readonly turnId?: string; readonly toolCallId?: string }
  | { readonly client: string };

/** A screen that shows a terminal. */
export interface TerminalViewer {
  /**
   * Receives output in order, each piece once, also across reconnects. A piece is never cut inside a
   * character, but may be cut inside an escape sequence.
   */
  onOutput(text: string): void;
  /**
   * Called when the screen starts anew with `content`: at `attach`, when a snapshot replaces missed output,
   * and when the scrollback was cleared. `place` is the position of the content in all output. Absent:
   * `onOutput` gets the content, with a reset (`ESC c`) in front of it except the first time.
   */
  onReset?(content: string, place: ContentPlace): void;
}

/** What a terminal handle needs of its client. */
export interface TerminalPort {
  readonly clientId: string;
  signal(uri: URI, signal: TerminalSignal): Promise<void>;
  dispose(uri: URI): Promise<void>;
}

/**
 * Largest `terminal/input`, in UTF-16 code units. As JSON a unit takes at most six bytes, which stays well
 * below a host's frame limit and lets other messages pass in between.
 */
const INPUT_LIMIT = 64 * 1024;

/** For a process that ended without a known exit code. */
const UNKNOWN_EXIT_CODE = 1;

/** Resets a terminal emulator completely. */
const FULL_RESET = '\u001bc';

/**
 * An open terminal: its state, its output and its controls.
 *
 * @example
 * const terminal = await client.createTerminal({ command: ['npm', 'test'] });
 * terminal.onOutput((text) => process.stdout.write(text));
 * console.log(`exit code ${await terminal.exited}`);
 * await terminal.dispose();
 */
export class TerminalHandle {
  readonly mirror: Mirror<'terminal'>;
  readonly #port: TerminalPort;
  readonly #close: () => void;
  #exited: Promise<number> | undefined;

  constructor(mirror: Mirror<'terminal'>, port: TerminalPort, close: () => void) {
    this.mirror = mirror;
    this.#port = port;
    this.#close = close;
  }

  get uri(): URI {
    return this.mirror.uri;
  }

  get state(): TerminalState {
    return this.mirror.state;
  }

  /** The present holder; a claim of this client counts before the host has answered it. */
  get holder(): TerminalHolder {
    const { claim } = this.state;
    if (claim.kind === 'client') {
      return claim.clientId === this.#port.clientId
        ? { kind: 'me' }
        : { kind: 'client', clientId: claim.clientId };
    }
    return claim;
  }

  /**
   * Whether the host takes input and sizes from this client now [TERM-5]. An unanswered claim does not allow to type, because the
   * host may refuse it; handing the terminal over ends it at once.
   */
  get mayType(): boolean {
    const { state, confirmed } = this.mirror;
    return !hasExited(state) && this.#allows(state.claim) && this.#allows(confirmed.claim);
  }

  #allows(claim: TerminalClaim): boolean {
    return claim.kind === 'session' || claim.clientId === this.#port.clientId;
  }

  /**
   * Resolves with the exit code (128 + n for signal n; 1 if the host does not know it) once the process has ended and viewers have all of its
   * output. Rejects with `ChannelLost` when the terminal is removed or the handle is closed before.
   */
  get exited(): Promise<number> {
    this.#exited ??= this.#watchExit();
    return this.#exited;
  }

  /**
   * Shows the terminal on a screen: its present content, then all further output. Returns a function that
   * detaches the screen.
   */
  attach(viewer: TerminalViewer): () => void {
    let seen = -1;
    const restart = (): void => {
      const isFirst = seen < 0;
      seen = this.mirror.reflectedSeq;
      const state = this.mirror.confirmed;
      const content = contentText(state.content);
      if (viewer.onReset !== undefined) viewer.onReset(content, contentPlace(state));
      else if (!isFirst) viewer.onOutput(FULL_RESET + content);
      else if (content !== '') viewer.onOutput(content);
    };
    const take = ({ serverSeq, action }: ActionEnvelope): void => {
      // The content already reflects this output.
      if (serverSeq <= seen) return;
      if (action.type === 'terminal/data') {
        seen = serverSeq;
        viewer.onOutput(action.data);
      } else if (action.type === 'terminal/cleared') {
        // Uses the content as it is now; it includes output of later envelopes in the same frame.
        restart();
      }
    };
    const stops = [this.mirror.onAction(take), this.mirror.onSnapshot(restart)];
    restart();
    return () => {
      for (const stop of stops) stop();
    };
  }

  /**
   * Calls `listener` with the stream of output; a simpler `attach`. Returns a function that removes the
   * listener.
   */
  onOutput(listener: (text: string) => void): () => void {
    return this.attach({ onOutput: listener });
  }

  /**
   * Types text. Resolves when the host has taken all of it, or with the outcome of the first piece that it
   * did not take. Pieces arrive in order, across calls as well. Nothing is shown until the program echoes it
   * [REC-2]. After a drop the input is sent again where that cannot type it twice; `outcomeExpired` then
   * means that the host had taken it [ACT-5]. Keys are typed at most once: when a host is killed between its
   * commit and the write to the program, they are lost.
   */
  async input(text: string): Promise<DispatchOutcome> {
    const sent = pieces(text, INPUT_LIMIT).map((data) =>
      this.mirror.dispatch({ type: 'terminal/input', data }),
    );
    let last: DispatchOutcome = { outcome: 'ignored' };
    for (const settled of sent) {
      last = await settled;
      if (last.outcome !== 'accepted') return last;
    }
    return last;
  }

  /** Changes the size, in characters and lines. */
  resize(cols: number, rows: number): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'terminal/resized', cols, rows });
  }

  /** Takes the terminal, or hands it over [TERM-5]. */
  claim(target: ClaimTarget): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'terminal/claimed', claim: claimOf(target, this.#port.clientId) });
  }

  /**
   * Sends the command of a tool call to the background; the session keeps holding it. `ignored` when no tool
   * call uses the terminal.
   */
  async narrow(): Promise<DispatchOutcome> {
    const { claim } = this.state;
    if (claim.kind !== 'session' || (claim.turnId === undefined && claim.toolCallId === undefined)) {
      return { outcome: 'ignored' };
    }
    return this.claim({ session: claim.session, chat: claim.chat });
  }

  /** Empties the scrollback for all clients. */
  clear(): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'terminal/cleared' });
  }

  /** Changes the title. */
  rename(title: string): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'terminal/titleChanged', title });
  }

  /** Sends a signal such as `INT` to the running program. Rejects like `AhpClient.request`. */
  signal(signal: TerminalSignal): Promise<void> {
    return this.#port.signal(this.uri, signal);
  }

  /**
   * Ends the terminal's processes and removes it for all clients. The handle is closed in any case. Rejects
   * like `AhpClient.request`.
   */
  async dispose(): Promise<void> {
    await this.#port.dispose(this.uri);
    this.close();
  }

  /** Closes the handle. The terminal keeps running. Calling it again does nothing. */
  close(): void {
    this.#close();
  }

  #watchExit(): Promise<number> {
    const exited = (async () => {
      for await (const { lifecycle } of this.mirror)
        if (lifecycle.status === 'exited') return lifecycle.exitCode ?? UNKNOWN_EXIT_CODE;
      throw new ChannelLost(this.uri);
    })();
    // Callers of `exited` see the rejection; it must not count as unhandled.
    exited.catch(() => undefined);
    return exited;
  }
}

/** The claim for a target. */
export function claimOf(target: ClaimTarget, clientId: string): TerminalClaim {
  if (target === 'me') return { kind: 'client', clientId };
  return 'client' in target ? { kind: 'client', clientId: target.client } : { kind: 'session', ...target };
}

/** Cuts text into pieces of at most `limit` units, never inside a character. */
function pieces(text: string, limit: number): string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + limit, text.length);
    const code = text.charCodeAt(end - 1);
    if (end < text.length && code >= 0xd800 && code <= 0xdbff) end -= 1;
    found.push(text.slice(start, end));
    start = end;
  }
  return found;
}
