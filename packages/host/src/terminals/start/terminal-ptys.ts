import { internalError, invalidParams } from '@agenthost/protocol';
import { type Pty, PtyError } from '../../pty/pty.ts';
import type { TerminalParts } from '../parts.ts';
import type { NewTerminal } from '../service.ts';
import { type Launch, launchOf } from './launch.ts';
import { ShellFolders } from './shell-folders.ts';

/** Starts the ptys of terminals, with the start-up files of their shells, and ends those that no terminal shows. */
export class TerminalPtys {
  readonly #parts: TerminalParts;
  readonly #folders: ShellFolders;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
    this.#folders = new ShellFolders(parts.settings.shellFolder);
  }

  /** Rejects with a `WireError`: the client's where its command is at fault, else the host's. */
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
      // A client that named the program can name another one; where no program can be started, the fault is the host's.
      if (error.fault === 'owner' || terminal.command === undefined)
        throw internalError(error.message, error);
      throw invalidParams(error.message);
    }
  }

  /** Ends a pty that no channel will ever show. */
  discard(pty: Pty): void {
    this.dropFolder(pty.id);
    pty
      .kill({ forgets: true })
      .then(() => pty.release())
      .catch((error: unknown) => this.#parts.log.error({ error, pty: pty.id }, 'a pty could not be ended'));
  }

  /** Removes the start-up files of a shell that has ended. */
  dropFolder(pty: string): void {
    this.#folders
      .drop(pty)
      .catch((error: unknown) =>
        this.#parts.log.warn({ error, pty }, "a shell's files could not be removed"),
      );
  }

  /** Removes those of all shells but these. */
  keepFolders(ptys: ReadonlySet<string>): Promise<void> {
    return this.#folders.keepOnly(ptys);
  }

  /** Lets go of all ptys. */
  async close(): Promise<void> {
    await this.#parts.owner.close();
    await this.#folders.close();
  }
}
