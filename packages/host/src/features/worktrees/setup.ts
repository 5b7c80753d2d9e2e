import { createHash } from 'node:crypto';
import type { ConfirmationOption, ToolResultContent } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import { AgentError } from '../../agents/errors.ts';
import type { ToolCallHandle } from '../../agents/tool-call.ts';
import type { TurnOutput } from '../../agents/turn.ts';
import type { Timers } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';
import type { TerminalService } from '../../terminals/service.ts';
import { endOf, type TerminalEnd } from '../../turns/command/command-turn.ts';
import { terminalText } from '../../turns/command/terminal-text.ts';
import { WORKTREE_FILE } from '../../workspace/git/worktree-project.ts';
import type { WorktreeRecord, WorktreeStore } from './store.ts';

const KEY = 'allowedSetups';
const MAX_ALLOWED = 1_000;
/** Time limit of a setup command. */
const LIMIT_MS = 15 * 60_000;
/** Maximum bytes of output that stay in the chat. */
const PREVIEW_BYTES = 64 * 1024;

const OPTIONS: ConfirmationOption[] = [
  { id: 'run', label: 'Run', kind: 'approve', group: 0 },
  {
    id: 'always',
    label: 'Run, and do not ask again while the command stays the same',
    kind: 'approve',
    group: 0,
    'x-lasting': true,
  },
  { id: 'skip', label: 'Skip', kind: 'deny', group: 1 },
];

/** A turn that starts in a worktree. */
export interface StartingTurn {
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
  readonly output: TurnOutput;
  /** Aborts when the turn is cancelled. */
  readonly signal: AbortSignal;
}

interface Parts {
  readonly sync: Sync;
  readonly timers: Timers;
  readonly store: WorktreeStore;
  readonly terminals: Pick<TerminalService, 'startForAgent'>;
}

/**
 * Runs the setup command of a project before the first turn in a worktree, as a tool call of that turn. The command comes from the repository:
 * a person is asked, whatever the session's approvals say, unless this command of this repository was allowed permanently.
 */
export class WorktreeSetup {
  readonly #parts: Parts;
  /** Fingerprints of commands that are not asked about again. */
  #allowed: readonly string[];
  /** Setups that run, by worktree. */
  readonly #running = new Map<string, Promise<void>>();

  private constructor(parts: Parts, allowed: readonly string[]) {
    this.#parts = parts;
    this.#allowed = allowed;
  }

  static async load(parts: Parts): Promise<WorktreeSetup> {
    const text = await parts.sync.journal.readMeta(KEY);
    // `#allow` wrote the value.
    const allowed: string[] = text === undefined ? [] : JSON.parse(text);
    return new WorktreeSetup(parts, allowed);
  }

  /** Resolves when the turn may go on. Never rejects for a command that fails. */
  async before(turn: StartingTurn, record: WorktreeRecord): Promise<void> {
    const running = this.#running.get(record.id);
    if (running !== undefined) return running;
    const setup = this.#parts.store.find(record.id)?.setup;
    if (setup === undefined) return;
    const done = this.#run(turn, record, setup).finally(() => this.#running.delete(record.id));
    this.#running.set(record.id, done);
    await done;
  }

  async #run(turn: StartingTurn, record: WorktreeRecord, setup: string): Promise<void> {
    const { output, signal } = turn;
    const call = output.toolCall({
      toolName: 'worktree_setup',
      displayName: 'Worktree setup',
      intention: `Prepares the worktree, as ${WORKTREE_FILE} says`,
      kind: 'execute',
    });
    const shown = { invocationMessage: setup, toolInput: setup };
    const fingerprint = fingerprintOf(record, setup);
    if (this.#allowed.includes(fingerprint)) call.run(shown);
    else {
      const answer = await call.confirm({
        ...shown,
        confirmationTitle: 'Run the setup command of this repository?',
        options: OPTIONS,
        isAlwaysAsked: true,
      });
      if (!answer.approved) {
        // A turn that was cancelled has not decided anything.
        if (answer.reason === 'denied') this.#finish(record);
        return;
      }
      if (answer.selectedOption?.id === 'always') this.#allow(fingerprint);
    }
    if (signal.aborted) return;
    const isOver = await this.#inTerminal(turn, call, record, setup);
    if (isOver) this.#finish(record);
  }

  /** Returns whether the command has ended by itself, or cannot be run. */
  async #inTerminal(
    { session, chat, turnId, output, signal }: StartingTurn,
    call: ToolCallHandle,
    { path }: WorktreeRecord,
    setup: string,
  ): Promise<boolean> {
    try {
      const terminal = await this.#parts.terminals.startForAgent(
        { session, chat, workingDirectory: path },
        { command: setup, cwd: path, use: { turnId, toolCallId: call.id } },
      );
      const block: Extract<ToolResultContent, { type: 'terminal' }> = {
        type: 'terminal',
        resource: terminal.uri,
        title: terminal.title,
      };
      call.content([block]);
      const end = await this.#inTime(signal, (until) => endOf(terminal, until));
      if (end === 'late' || end === 'aborted') await terminal.kill();
      if (end === 'aborted') return false;
      const { text, isTruncated } = terminalText(terminal, PREVIEW_BYTES);
      const { exitCode } = end === 'exited' ? await terminal.exited : { exitCode: undefined };
      const failure = failureOf(end, exitCode);
      await call.complete({
        success: failure === undefined,
        pastTenseMessage: setup,
        content: [
          {
            ...block,
            result: {
              preview: text,
              truncated: isTruncated,
              ...(exitCode === undefined ? {} : { exitCode }),
            },
          },
        ],
        ...(failure === undefined ? {} : { error: { message: failure } }),
      });
      if (end !== 'detached') await terminal.release();
      if (failure !== undefined)
        output.notify(`The setup of the worktree failed (${failure}). The turn continues without it.`);
      return true;
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      await call.complete({ success: false, pastTenseMessage: setup, error: { message: errorText(error) } });
      return true;
    }
  }

  async #inTime(
    signal: AbortSignal,
    run: (until: AbortSignal) => Promise<TerminalEnd>,
  ): Promise<TerminalEnd | 'late'> {
    const limit = new AbortController();
    const cancel = this.#parts.timers.after(LIMIT_MS, () => limit.abort());
    try {
      const end = await run(AbortSignal.any([signal, limit.signal]));
      return end === 'aborted' && !signal.aborted ? 'late' : end;
    } finally {
      cancel();
    }
  }

  /** Records that the command is not run again in this worktree. */
  #finish({ id }: WorktreeRecord): void {
    const { sync, store } = this.#parts;
    sync.transact('host', (tx) => {
      const record = store.find(id);
      if (record === undefined) return;
      const { setup: _, ...rest } = record;
      store.put(tx, rest);
    });
  }

  #allow(fingerprint: string): void {
    this.#parts.sync.transact('host', (tx) => {
      const before = this.#allowed;
      this.#allowed = [...before, fingerprint].slice(-MAX_ALLOWED);
      tx.undo(() => {
        this.#allowed = before;
      });
      tx.write({ op: 'meta', key: KEY, value: JSON.stringify(this.#allowed) });
    });
  }
}

function failureOf(end: TerminalEnd | 'late', exitCode: number | undefined): string | undefined {
  if (end === 'late') return `it took longer than ${LIMIT_MS / 60_000} minutes`;
  return exitCode === undefined || exitCode === 0 ? undefined : `exit code ${exitCode}`;
}

const fingerprintOf = ({ commonDir }: WorktreeRecord, setup: string): string =>
  createHash('sha256')
    .update(JSON.stringify([commonDir, setup]))
    .digest('base64url');
