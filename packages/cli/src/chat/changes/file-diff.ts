import type { ChangesetHandle } from '@agenthost/client';
import type { ChangesetFile, URI } from '@agenthost/protocol';
import { versionsOf } from '../../changes/file-patch.ts';
import { type Environment, messageOf } from '../app/environment.ts';
import { type DiffRow, diffRows } from './diff-rows.ts';

/** The diff of a file, read when it is opened and when the file changes, and the chosen row. */
export class FileDiff {
  readonly #env: Environment;
  readonly #changes: ChangesetHandle;
  readonly #folders: readonly URI[];
  #file: ChangesetFile;
  #rows: readonly DiffRow[] | undefined;
  #problem: string | undefined;
  #at = 0;
  /** Counts up with each reading, so that a late one is dropped. */
  #reading = 0;
  readonly #stop: () => void;

  constructor(env: Environment, changes: ChangesetHandle, file: ChangesetFile, folders: readonly URI[]) {
    this.#env = env;
    this.#changes = changes;
    this.#folders = folders;
    this.#file = file;
    this.#stop = changes.onChange(() => this.#update(changes.file(file.id)));
    void this.#read(file);
  }

  get file(): ChangesetFile {
    return this.#file;
  }

  /** `undefined` until the file is read. */
  get rows(): readonly DiffRow[] | undefined {
    return this.#rows;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get at(): number {
    return this.#at;
  }

  /** The hunk of the chosen row. */
  get hunk(): number | undefined {
    return this.#rows?.[this.#at]?.hunk;
  }

  /** The line that a comment would be on. `undefined`: the row is no line of the file, or the file is gone. */
  get commentedLine(): number | undefined {
    const row = this.#rows?.[this.#at];
    if (row === undefined || this.#file.edit.after === undefined) return undefined;
    return row.kind === 'context' || row.kind === 'added' ? row.line : undefined;
  }

  dispose(): void {
    this.#stop();
  }

  /** Takes the file as it is now. `undefined`: it no longer differs. */
  #update(file: ChangesetFile | undefined): void {
    if (file === undefined) {
      if (this.#changes.status === 'ready') this.#problem = 'this file no longer differs';
      return;
    }
    if (contentOf(file) === contentOf(this.#file) && this.#problem === undefined) return;
    this.#file = file;
    this.#problem = undefined;
    void this.#read(file);
  }

  move(by: number): void {
    this.moveTo(Math.max(0, Math.min((this.#rows?.length ?? 1) - 1, this.#at + by)));
  }

  moveTo(at: number | undefined): void {
    if (at !== undefined) this.#at = at;
  }

  async #read(file: ChangesetFile): Promise<void> {
    this.#reading += 1;
    const reading = this.#reading;
    try {
      const rows = diffRows(await versionsOf(this.#changes, file, this.#folders));
      if (reading !== this.#reading) return;
      const isFirst = this.#rows === undefined;
      this.#rows = rows;
      // The first changed line is what people want to see.
      if (isFirst)
        this.#at = Math.max(
          0,
          rows.findIndex(({ kind }) => kind === 'added' || kind === 'removed'),
        );
      this.#at = Math.min(this.#at, Math.max(0, rows.length - 1));
    } catch (error) {
      if (reading === this.#reading) this.#problem = messageOf(error);
    }
    this.#env.changed();
  }
}

const contentOf = ({ edit }: ChangesetFile): string =>
  `${edit.before?.content.uri ?? ''} ${edit.after?.content.uri ?? ''}`;
