import type { ActionEnvelope, TerminalClaim, TerminalSignal, TerminalState, URI } from '@agenthost/protocol';
import { ChannelLost } from '../errors.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import { type ContentPlace, contentPlace, contentText } from './terminal-content.ts';

/** Who holds a terminal, seen from this client. */
export type TerminalHolder =
  | { readonly kind: 'me' }
  | { readonly kind: 'client'; readonly clientId: string }
  /** Without a turn it runs in the background. */
  | {
      readonly kind: 'session';
      readonly session: URI;
      readonly turnId?: string;
      readonly toolCallId?: string;
    };

/** Whom to give a terminal to. */
export type ClaimTarget =
  | 'me'
  | { readonly session: URI; readonly turnId?: string; readonly toolCallId?: string }
  | { readonly client: string };

/** A screen that shows a terminal. */
export interface TerminalViewer {
  /** Output, in order and once, over reconnections too. Never cut inside a character; may be inside an escape sequence. */
  onOutput(text: string): void;
  /**
   * The screen begins anew with this: when attached, when a snapshot came in place of what was missed, and when somebody
   * cleared the scrollback. Absent: `onOutput` gets it, behind a reset (`ESC c`) unless it is the first. `place`: where it stands in
   * all that the terminal has put out.
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
 * UTF-16 units of one `terminal/input`: written as JSON they take at most six bytes each, which stays far below what a
 * host takes in one frame, and lets other messages pass in between.
 */
const INPUT_LIMIT = 64 * 1024;

/** Clears a terminal emulator of everything. */
const FULL_RESET = '\u001bc';

/** An open terminal: its state, what it puts out, and all that may be done with it. */
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

  /** Who holds it. */
  get holder(): TerminalHolder {
    const { claim } = this.state;
    if (claim.kind === 'client') {
      return claim.clientId === this.#port.clientId
        ? { kind: 'me' }
        : { kind: 'client', clientId: claim.clientId };
    }
    return claim;
  }

  /** Whether the host would take input and sizes from this client now [TERM-5]. */
  get mayType(): boolean {
    return this.holder.kind !== 'client' && this.state.exitCode === undefined;
  }

  /**
   * The exit code, 128 + n for signal n, once the process is gone and viewers have all of its output. Rejects with
   * `ChannelLost` when the terminal goes before, or the handle is disposed of.
   */
  get exited(): Promise<number> {
    this.#exited ??= this.#watchExit();
    return this.#exited;
  }

  /** Shows the terminal on a screen: what is there at once, and all that follows. The result ends it. */
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
      // What the content reflected already when it was shown.
      if (serverSeq <= seen) return;
      if (action.type === 'terminal/data') {
        seen = serverSeq;
        viewer.onOutput(action.data);
      } else if (action.type === 'terminal/cleared') {
        // The content as it is now: output that came behind it in the same frame is in there.
        restart();
      }
    };
    const stops = [this.mirror.onAction(take), this.mirror.onSnapshot(restart)];
    restart();
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** `attach` for who needs the stream alone. The result ends it. */
  onOutput(listener: (text: string) => void): () => void {
    return this.attach({ onOutput: listener });
  }

  /**
   * Types. Resolves when the host has taken all of it, or with the first piece's outcome that it did not. Pieces of one
   * call and of calls that follow arrive in order; nothing of it shows before the program says so [REC-2]. After a drop
   * it is sent again where that types nothing twice, and `outcomeExpired` then means that the host had taken it [ACT-5]. Keys
   * are typed at most once: a host that is killed in the millisecond between its commit and the write to the program has taken
   * some that were never typed, since they are kept nowhere.
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

  /** Gives it another size. */
  resize(cols: number, rows: number): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'terminal/resized', cols, rows });
  }

  /** Takes it, or hands it over [TERM-5]. */
  claim(target: ClaimTarget): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'terminal/claimed', claim: claimOf(target, this.#port.clientId) });
  }

  /** Sends what a tool call runs in it to the background, still held by the session. Nothing to do: `ignored`. */
  async narrow(): Promise<DispatchOutcome> {
    const { claim } = this.state;
    if (claim.kind !== 'session' || (claim.turnId === undefined && claim.toolCallId === undefined)) {
      return { outcome: 'ignored' };
    }
    return this.claim({ session: claim.session });
  }

  /** Empties the scrollback for everyone. */
  clear(): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'terminal/cleared' });
  }

  /** Gives it another title. */
  rename(title: string): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'terminal/titleChanged', title });
  }

  /** Sends a signal (`INT`) to what runs in it. Rejects like any request. */
  signal(signal: TerminalSignal): Promise<void> {
    return this.#port.signal(this.uri, signal);
  }

  /** Ends its processes and removes it, for everyone. Rejects like any request; the handle is closed if not. */
  async dispose(): Promise<void> {
    await this.#port.dispose(this.uri);
    this.close();
  }

  /** Ends the handle. The terminal goes on. Calling it again does nothing. */
  close(): void {
    this.#close();
  }

  #watchExit(): Promise<number> {
    const exited = (async () => {
      for await (const { exitCode } of this.mirror) if (exitCode !== undefined) return exitCode;
      throw new ChannelLost(this.uri);
    })();
    // Whoever asked hears of it; nobody has to.
    exited.catch(() => undefined);
    return exited;
  }
}

/** The claim that a target stands for. */
export function claimOf(target: ClaimTarget, clientId: string): TerminalClaim {
  if (target === 'me') return { kind: 'client', clientId };
  return 'client' in target ? { kind: 'client', clientId: target.client } : { kind: 'session', ...target };
}

/** Pieces of at most `limit` units, no character cut. */
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
