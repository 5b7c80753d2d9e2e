import { internalError, invalidParams } from '@agenthost/protocol';
import { type Pty, PtyError } from '../../pty/pty.ts';
import type { TerminalParts } from '../parts.ts';
import type { NewTerminal } from '../service.ts';
import { type Launch, launchOf } from './launch.ts';
import { ShellFolders } from './shell-folders.ts';

/** Starts the ptys of terminals with the start-up files of their shells, and ends ptys without a terminal. */
export class TerminalPtys {
  readonly #parts: TerminalParts;
  readonly #folders: ShellFolders;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
    this.#folders = new ShellFolders(parts.settings.shellFolder);
  }

  /** Rejects with a `WireError`: `-32602` when the command that the client named cannot start, else an internal error. */
  async start(terminal: NewTerminal): Promise<{ launch: Launch; pty: Pty }> {
    const { ids, owner, settings, log } = this.#parts;
    const { cwd, cols, rows } = terminal;
    const id = ids.next();
    try {
      const launch = await launchOf({ settings, folders: this.#folders, log }, terminal, id);
      const { command, env } = launch;
      return { launch, pty: await owner.spawn({ id, command, env, cwd, cols, rows }) };
    } catch (error) {
      this.dropFolder(id);
      if (!(error instanceof PtyError)) throw error;
      if (error.fault === 'owner' || terminal.command === undefined)
        throw internalError(error.message, error);
      throw invalidParams(error.message);
    }
  }

  /** Ends a pty that has no terminal. */
  discard(pty: Pty): void {
    this.dropFolder(pty.id);
    pty
      .kill({ forgets: true })
      .then(() => pty.release())
      .catch((error: unknown) => this.#parts.log.error({ error, pty: pty.id }, 'could not end a pty'));
  }

  /** Removes the start-up files of a shell that has ended. */
  dropFolder(pty: string): void {
    this.#folders
      .drop(pty)
      .catch((error: unknown) =>
        this.#parts.log.warn({ error, pty }, 'could not remove the start-up files of a shell'),
      );
  }

  /** Removes the start-up files of all other shells. */
  keepFolders(ptys: ReadonlySet<string>): Promise<void> {
    return this.#folders.keepOnly(ptys);
  }

  /** Releases all ptys. */
  async close(): Promise<void> {
    await this.#parts.owner.close();
    await this.#folders.close();
  }
}
