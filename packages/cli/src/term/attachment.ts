import type { AhpClient, TerminalHandle } from '@agenthost/client';
import { hasExited, type TerminalClaim } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { HostTarget } from '../host-link/find-host.ts';
import { errorSentence } from '../host-link/host-errors.ts';
import { watchHost } from '../host-link/host-watch.ts';
import type { Context } from '../process/context.ts';
import { oneLine } from '../render/plain-text.ts';
import { DisplayFilter } from './display-filter.ts';
import { giveBack, holderText, isNobody, refusal, take } from './holding.ts';
import { KeyReader } from './keys.ts';
import { NoticeCorner, windowOf } from './window.ts';

/** How an attachment ended. */
export type AttachmentEnd =
  | { readonly reason: 'detached' }
  | { readonly reason: 'exited'; readonly exitCode: number }
  /** It was disposed of. */
  | { readonly reason: 'removed' }
  /** The host did not come back, or does not let us in any more. */
  | { readonly reason: 'hostLost'; readonly message: string }
  /** A signal, or nobody is there to see it. */
  | { readonly reason: 'interrupted' };

/** Parts of an attachment. */
export interface AttachmentParts {
  readonly context: Context;
  readonly client: AhpClient;
  readonly target: HostTarget;
  readonly terminal: TerminalHandle;
  readonly prefix: { readonly character: string; readonly name: string };
  /** Claims it at once, whoever has it. */
  readonly claims: boolean;
}

/** After this time, the beginning of a sequence counts as a key. */
const KEY_TIMEOUT_MS = 50;

/** Shows a terminal of the host in the window of this command. */
export class Attachment {
  readonly #parts: AttachmentParts;
  readonly #filter = new DisplayFilter();
  readonly #corner = new NoticeCorner();
  readonly #keys: KeyReader;
  readonly #undo: (() => void)[] = [];
  #end: ((end: AttachmentEnd) => void) | undefined;
  #knownClaim: TerminalClaim;
  /** Claim that was replaced by ours. */
  #takenFrom: TerminalClaim | undefined;
  /** What was typed while a claim was under way. */
  #typedEarly: string | undefined;
  /** The read-only notice was shown for the current holder. */
  #hasToldReadOnly = false;

  constructor(parts: AttachmentParts) {
    this.#parts = parts;
    this.#knownClaim = parts.terminal.mirror.confirmed.claim;
    this.#keys = new KeyReader(parts.prefix.character, {
      type: (text) => this.#type(text),
      command: (key) => this.#command(key),
      later: (callback) => {
        const timer = setTimeout(callback, KEY_TIMEOUT_MS);
        return () => clearTimeout(timer);
      },
    });
  }

  /** Shows the terminal until it is left, or ends. The window is as it was before, whatever happens. */
  async run(): Promise<AttachmentEnd> {
    const { terminal } = this.#parts;
    const ended = new Promise<AttachmentEnd>((resolve) => {
      this.#end = resolve;
    });
    try {
      this.#open();
      await this.#claimAtStart();
      this.#fit();
      terminal.exited.then(
        (exitCode) => this.#end?.({ reason: 'exited', exitCode }),
        () => this.#end?.({ reason: 'removed' }),
      );
      return await ended;
    } finally {
      this.#close();
    }
  }

  /** Gives the claim back to the session that it was taken from, else to nobody. Resolves when the host has answered, or if there is no connection. */
  async release(): Promise<void> {
    const { terminal, client } = this.#parts;
    if (terminal.holder.kind !== 'me' || client.status.state !== 'online') return;
    await giveBack(terminal, this.#takenFrom);
  }

  #open(): void {
    const { context, client, terminal } = this.#parts;
    const { stdin, stdout } = context;
    this.#on(context.onSignal(['SIGTERM', 'SIGHUP', 'SIGINT'], () => this.#end?.({ reason: 'interrupted' })));
    const gone = (): void => this.#end?.({ reason: 'interrupted' });
    context.outputClosed.addEventListener('abort', gone, { once: true });
    this.#on(() => context.outputClosed.removeEventListener('abort', gone));
    stdin.setRawMode?.(true);
    this.#on(() => stdin.setRawMode?.(false));
    const read = (bytes: Buffer): void => this.#keys.read(bytes);
    stdin.on('data', read);
    stdin.on('end', gone);
    stdin.resume();
    this.#on(() => {
      stdin.off('data', read);
      stdin.off('end', gone);
      stdin.pause();
    });
    const resized = (): void => this.#fit();
    stdout.on('resize', resized);
    this.#on(() => void stdout.off('resize', resized));
    this.#on(() => this.#write(this.#filter.modes.restore()));
    this.#on(
      watchHost(client, {
        notice: (text) => this.#notice([text]),
        lost: (message) => this.#end?.({ reason: 'hostLost', message }),
      }),
    );
    // What stood in the window scrolls up, and stays there.
    this.#write('\r\n'.repeat(windowOf(context)?.rows ?? 24));
    this.#on(
      terminal.attach({
        onReset: (content) => this.#redraw(content),
        onOutput: (text) => this.#write(this.#filter.next(text)),
      }),
    );
    this.#on(terminal.mirror.onChange(() => this.#watchClaim()));
    // Another program may have changed the window meanwhile.
    this.#on(
      context.onSignal(['SIGCONT'], () => {
        stdin.setRawMode?.(true);
        this.#redraw();
      }),
    );
  }

  #on(undo: () => void): void {
    this.#undo.push(undo);
  }

  #close(): void {
    this.#end = undefined;
    this.#keys.dispose();
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }

  async #claimAtStart(): Promise<void> {
    const { terminal, claims } = this.#parts;
    if (hasExited(terminal.state) || terminal.holder.kind === 'me') return;
    if (claims || isNobody(terminal.uri, terminal.state.claim)) await this.#claim(true);
    else this.#tellReadOnly();
  }

  /** Keys typed meanwhile are kept. `isSilent`: show no notice. */
  async #claim(isSilent = false): Promise<void> {
    const { client, terminal, target } = this.#parts;
    const before = terminal.state.claim;
    if (this.#typedEarly !== undefined) return;
    if (terminal.holder.kind === 'me') return this.#notice(['you hold this terminal already']);
    this.#typedEarly = '';
    try {
      const reason = refusal(await take(client, terminal, target));
      if (reason !== undefined) return this.#notice([`not claimed: ${reason}`]);
      this.#takenFrom = before;
      if (!isSilent) this.#notice(['you hold this terminal now']);
      this.#fit();
    } finally {
      const typed = this.#typedEarly;
      this.#typedEarly = undefined;
      if (typed !== '') this.#type(typed);
    }
  }

  async #handBack(): Promise<void> {
    const { terminal } = this.#parts;
    if (terminal.holder.kind !== 'me') return this.#notice(['you do not hold this terminal']);
    const reason = refusal(await giveBack(terminal, this.#takenFrom));
    this.#takenFrom = undefined;
    if (reason !== undefined) this.#notice([`not given back: ${reason}`]);
  }

  #type(text: string): void {
    const { terminal } = this.#parts;
    if (this.#typedEarly !== undefined) {
      this.#typedEarly += text;
      return;
    }
    if (terminal.holder.kind !== 'me') {
      if (!this.#hasToldReadOnly) this.#tellReadOnly();
      this.#hasToldReadOnly = true;
      return;
    }
    void terminal.input(text).then((outcome) => {
      const reason = refusal(outcome);
      if (reason !== undefined && this.#end !== undefined) this.#notice([`not typed: ${reason}`]);
    });
  }

  #command(key: string): void {
    const { name } = this.#parts.prefix;
    switch (key) {
      case 'd':
        this.#end?.({ reason: 'detached' });
        return;
      case 'c':
        this.#start(this.#claim());
        return;
      case 'g':
        this.#start(this.#handBack());
        return;
      case 'r':
        this.#redraw();
        return;
      default:
        this.#notice([
          `${name} d  detach`,
          `${name} c  claim: type here`,
          `${name} g  give back`,
          `${name} r  redraw`,
          `${name} ${name}  the key itself`,
        ]);
    }
  }

  #start(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#notice([oneLine(errorSentence(error))]);
    });
  }

  /** Tells the program the size of this window, where that is for us to say [TERM-5]. */
  #fit(): void {
    const { context, terminal } = this.#parts;
    const size = windowOf(context);
    if (size === undefined || !terminal.mayType) return;
    const { cols, rows } = terminal.state;
    // The host refuses it if another client has just claimed the terminal.
    if (cols !== size.cols || rows !== size.rows) void terminal.resize(size.cols, size.rows);
  }

  #watchClaim(): void {
    const { terminal, client } = this.#parts;
    const { claim } = terminal.mirror.confirmed;
    if (claim === this.#knownClaim || this.#end === undefined) return;
    const isSame = sameJson(claim, this.#knownClaim);
    this.#knownClaim = claim;
    if (isSame) return;
    this.#hasToldReadOnly = false;
    if (claim.kind === 'session' || claim.clientId !== client.clientId) return this.#tellReadOnly();
    // What was claimed here is told of there.
    if (this.#typedEarly === undefined) this.#notice(['you hold this terminal now']);
    this.#fit();
  }

  #tellReadOnly(): void {
    const { terminal, client, prefix } = this.#parts;
    const { uri, state } = terminal;
    const holder = holderText(uri, state.claim, client.clientId);
    this.#notice([`read-only: ${holder} holds it`, `${prefix.name} c claims it, ${prefix.name} d detaches`]);
  }

  /** Clears the window and shows all anew. */
  #redraw(content?: string): void {
    if (content === undefined) {
      this.#parts.terminal.attach({ onOutput: () => undefined, onReset: (all) => this.#redraw(all) })();
      return;
    }
    const restored = this.#filter.modes.restore();
    this.#filter.restart();
    this.#corner.forget();
    this.#write(`${restored}\u001b[H\u001b[2J${this.#filter.next(content)}`);
  }

  #notice(lines: readonly string[]): void {
    const size = windowOf(this.#parts.context);
    if (size !== undefined) this.#write(this.#corner.show(lines, size));
  }

  #write(text: string): void {
    if (text !== '' && !this.#parts.context.outputClosed.aborted) this.#parts.context.stdout.write(text);
  }
}
