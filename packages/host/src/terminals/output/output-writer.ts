import { basename } from 'node:path';
import { TEXT_LIMITS } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { OutputEvent } from '../../pty/parser/events.ts';
import type { Channel } from '../../sync/channel.ts';
import type { TerminalHostData } from '../../sync/host-data.ts';
import type { Tx } from '../../sync/tx.ts';
import { fileUriOf } from '../../workspace/file-uri.ts';
import type { TerminalParts } from '../parts.ts';
import type { Answers } from './answers.ts';
import type { ReadEvent } from './output-throttle.ts';

/** Limit of a title, in UTF-16 code units. */
const MAX_TITLE_LENGTH = TEXT_LIMITS.name.max;

/** Writes the events of a pty to its channel, in order. */
export class OutputWriter {
  readonly #parts: TerminalParts;
  readonly #channel: Channel<'terminal'>;
  readonly #answers: Answers | undefined;
  #hostData: TerminalHostData;

  /** `answers` answers queries of the program. Without it queries get no answer. */
  constructor(parts: TerminalParts, channel: Channel<'terminal'>, answers?: Answers) {
    this.#parts = parts;
    this.#channel = channel;
    this.#answers = answers;
    this.#hostData = channel.hostData;
  }

  /** Emits the events, and stores `offset`, the end of the output that is in envelopes, and the title that still waits. */
  write(tx: Tx, events: readonly ReadEvent[], offset: number, heldTitle?: string): void {
    for (const each of events) this.#one(tx, each);
    const { heldTitle: _, ...hostData } = this.#hostData;
    this.#hostData = { ...hostData, offset, ...defined({ heldTitle }) };
    tx.setHostData(this.#channel, this.#hostData);
  }

  /** The process has ended. A command that still runs ends without an exit code. */
  end(tx: Tx, exitCode: number): void {
    const { sync } = this.#parts;
    this.#finishCommand(tx, this.#parts.clock.now(), undefined);
    if (this.#hostData.heldTitle !== undefined) this.#setTitle(tx, this.#hostData.heldTitle);
    tx.setHostData(this.#channel, this.#hostData);
    tx.emit(this.#channel, { type: 'terminal/exited', exitCode });
    sync.registry.writeSnapshot(tx, this.#channel);
    tx.write({ op: 'markClosed', uri: this.#channel.uri });
  }

  #one(tx: Tx, { event, at }: ReadEvent): void {
    switch (event.type) {
      case 'text':
        tx.emit(this.#channel, { type: 'terminal/data', data: event.text });
        tx.effect(() => this.#answers?.wrote(event.text));
        return;
      case 'title':
        this.#setTitle(tx, event.title);
        return;
      case 'cwd':
        this.#setCwd(tx, event.path);
        return;
      case 'mark':
        this.#mark(tx, event.mark, at);
        return;
      case 'query': {
        const { query } = event;
        // The state at the time of the query: later output must not move the cursor of the answer.
        const { state } = this.#channel;
        tx.effect(() => this.#answers?.answer(query, state));
        return;
      }
      default:
        event satisfies never;
    }
  }

  #mark(tx: Tx, mark: Extract<OutputEvent, { type: 'mark' }>['mark'], at: number): void {
    switch (mark.kind) {
      case 'ready':
        if (this.#channel.state.supportsCommandDetection !== true)
          tx.emit(this.#channel, { type: 'terminal/commandDetectionAvailable' });
        return;
      case 'executed': {
        this.#finishCommand(tx, at, undefined);
        const commandId = this.#parts.ids.next();
        const { commandLine } = mark;
        tx.emit(this.#channel, { type: 'terminal/commandExecuted', commandId, commandLine, timestamp: at });
        this.#setLocal({ command: { id: commandId, startedAt: at } });
        return;
      }
      case 'finished':
        this.#finishCommand(tx, at, mark.exitCode);
        return;
      case 'cwd':
        this.#setCwd(tx, mark.path);
        return;
      // A prompt ends the last command even when the mark of its end is missing.
      case 'prompt':
        this.#finishCommand(tx, at, undefined);
        return;
      case 'input':
        return;
      default:
        mark satisfies never;
    }
  }

  #finishCommand(tx: Tx, at: number, exitCode: number | undefined): void {
    const { command, ...hostData } = this.#hostData;
    if (command === undefined) return;
    this.#hostData = hostData;
    tx.emit(this.#channel, {
      type: 'terminal/commandFinished',
      commandId: command.id,
      ...defined({ exitCode }),
      durationMs: Math.max(0, at - command.startedAt),
    });
  }

  #setTitle(tx: Tx, said: string): void {
    if (this.#hostData.titledBy === 'somebody') return;
    const title = shownTitle(said) || this.#hostData.defaultTitle;
    this.#setLocal({ titledBy: 'program' });
    if (title !== this.#channel.state.title) tx.emit(this.#channel, { type: 'terminal/titleChanged', title });
  }

  #setCwd(tx: Tx, path: string): void {
    const cwd = fileUriOf(path);
    if (cwd !== this.#channel.state.cwd) tx.emit(this.#channel, { type: 'terminal/cwdChanged', cwd });
  }

  #setLocal(change: Partial<TerminalHostData>): void {
    this.#hostData = { ...this.#hostData, ...change };
  }
}

/** A title without control characters, cut to its limit. */
export const shownTitle = (title: string): string =>
  title.replaceAll(/\p{Cc}/gu, '').slice(0, MAX_TITLE_LENGTH);

/** The default title of a terminal. */
export const titleOf = (program: string): string => shownTitle(basename(program)) || 'terminal';
