import { basename } from 'node:path';
import { TEXT_LIMITS } from '@agenthost/protocol';
import type { OutputEvent } from '../pty/output/events.ts';
import type { Channel } from '../sync/channel.ts';
import type { TerminalLocal } from '../sync/locals.ts';
import { fileUriOf } from '../workspace/file-uri.ts';
import type { Answers } from './answers.ts';
import type { TerminalParts } from './parts.ts';

/** Longest title, in UTF-16 code units. */
const MAX_TITLE_LENGTH = TEXT_LIMITS.name.max;

/** Something read off a pty, and when, ms since the epoch. */
export interface Gathered {
  readonly event: OutputEvent;
  readonly at: number;
}

/** Writes what was read off a pty to its channel, in order. Inside `path.transact` only. */
export class OutputWriter {
  readonly #parts: TerminalParts;
  readonly #channel: Channel<'terminal'>;
  readonly #answers: Answers | undefined;
  readonly #wrote: (text: string) => void;
  #local: TerminalLocal;

  /** `answers`: who answers queries; without one they get none. `wrote` hears of each text, behind its action. */
  constructor(
    parts: TerminalParts,
    channel: Channel<'terminal'>,
    { answers, wrote }: { readonly answers?: Answers; wrote?(text: string): void } = {},
  ) {
    this.#parts = parts;
    this.#channel = channel;
    this.#answers = answers;
    this.#wrote = (text) => wrote?.(text);
    this.#local = channel.local;
  }

  /** Emits all of it and remembers that everything before `offset` is in envelopes, but for the title that is still held. */
  write(gathered: readonly Gathered[], offset: number, heldTitle?: string): void {
    for (const each of gathered) this.#one(each);
    const { heldTitle: _, ...local } = this.#local;
    this.#local = { ...local, offset, ...(heldTitle === undefined ? {} : { heldTitle }) };
    this.#parts.sync.setLocal(this.#channel, this.#local);
  }

  /** The process is gone: a command that it ran has ended without saying how. */
  end(exitCode: number): void {
    const { sync } = this.#parts;
    this.#finishCommand(this.#parts.clock.now(), undefined);
    if (this.#local.heldTitle !== undefined) this.#setTitle(this.#local.heldTitle);
    sync.setLocal(this.#channel, this.#local);
    sync.emit(this.#channel, { type: 'terminal/exited', exitCode });
    sync.registry.writeSnapshot(this.#channel);
    sync.path.write({ op: 'markClosed', uri: this.#channel.uri });
  }

  #one({ event, at }: Gathered): void {
    const { sync } = this.#parts;
    switch (event.type) {
      case 'text':
        sync.emit(this.#channel, { type: 'terminal/data', data: event.text });
        this.#wrote(event.text);
        sync.path.effect(() => this.#answers?.wrote(event.text));
        return;
      case 'title':
        this.#setTitle(event.title);
        return;
      case 'cwd':
        this.#setCwd(event.path);
        return;
      case 'mark':
        this.#mark(event.mark, at);
        return;
      case 'query': {
        const { query } = event;
        // As the program left it when it asked: later output must not move the cursor that is told.
        const { state } = this.#channel;
        sync.path.effect(() => this.#answers?.answer(query, state));
        return;
      }
      default:
        event satisfies never;
    }
  }

  #mark(mark: Extract<OutputEvent, { type: 'mark' }>['mark'], at: number): void {
    const { sync } = this.#parts;
    switch (mark.kind) {
      case 'ready':
        if (this.#channel.state.supportsCommandDetection !== true)
          sync.emit(this.#channel, { type: 'terminal/commandDetectionAvailable' });
        return;
      case 'executed': {
        this.#finishCommand(at, undefined);
        const commandId = this.#parts.ids.next();
        const { commandLine } = mark;
        sync.emit(this.#channel, { type: 'terminal/commandExecuted', commandId, commandLine, timestamp: at });
        this.#setLocal({ command: { id: commandId, startedAt: at } });
        return;
      }
      case 'finished':
        this.#finishCommand(at, mark.exitCode);
        return;
      case 'cwd':
        this.#setCwd(mark.path);
        return;
      // A shell that asks for the next command has ended the last, whatever happened to its mark.
      case 'prompt':
        this.#finishCommand(at, undefined);
        return;
      case 'input':
        return;
      default:
        mark satisfies never;
    }
  }

  #finishCommand(at: number, exitCode: number | undefined): void {
    const { command, ...local } = this.#local;
    if (command === undefined) return;
    this.#local = local;
    this.#parts.sync.emit(this.#channel, {
      type: 'terminal/commandFinished',
      commandId: command.id,
      ...(exitCode === undefined ? {} : { exitCode }),
      durationMs: Math.max(0, at - command.startedAt),
    });
  }

  #setTitle(said: string): void {
    if (this.#local.titledBy === 'somebody') return;
    const title = shownTitle(said) || this.#local.defaultTitle;
    this.#setLocal({ titledBy: 'program' });
    if (title !== this.#channel.state.title)
      this.#parts.sync.emit(this.#channel, { type: 'terminal/titleChanged', title });
  }

  #setCwd(path: string): void {
    const cwd = fileUriOf(path);
    if (cwd !== this.#channel.state.cwd)
      this.#parts.sync.emit(this.#channel, { type: 'terminal/cwdChanged', cwd });
  }

  #setLocal(change: Partial<TerminalLocal>): void {
    this.#local = { ...this.#local, ...change };
  }
}

/** A title as it is shown: without control characters, not too long. */
export const shownTitle = (title: string): string =>
  title.replaceAll(/\p{Cc}/gu, '').slice(0, MAX_TITLE_LENGTH);

/** What a terminal is called by itself. */
export const titleOf = (program: string): string => shownTitle(basename(program)) || 'terminal';
