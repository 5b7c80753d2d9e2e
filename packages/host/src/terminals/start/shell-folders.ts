import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder for the start-up files of each shell, and removes it when the terminal has ended. */
export class ShellFolders {
  readonly #base: string | undefined;
  #temporary: Promise<string> | undefined;

  /** `base`: absolute path of a folder that outlives the host, made when needed. Absent: a temporary folder for this host. */
  constructor(base: string | undefined) {
    this.#base = base;
  }

  /** Makes the folder of a pty with mode 0700. Resolves with its absolute path. */
  async make(pty: string): Promise<string> {
    const folder = join(await this.#root(), pty);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** Removes the folder of a pty, if it has one. */
  async drop(pty: string): Promise<void> {
    const root = this.#base ?? (await this.#temporary);
    if (root !== undefined) await rm(join(root, pty), { recursive: true, force: true });
  }

  /** Removes the folders of all other ptys: a host that was killed leaves them behind. */
  async keepOnly(ptys: ReadonlySet<string>): Promise<void> {
    if (this.#base === undefined) return;
    const names = await readdir(this.#base).catch(() => []);
    await Promise.all(names.filter((name) => !ptys.has(name)).map((name) => this.drop(name)));
  }

  /** Removes the temporary folder of this host. */
  async close(): Promise<void> {
    const temporary = await this.#temporary;
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  }

  #root(): Promise<string> {
    if (this.#base !== undefined) return Promise.resolve(this.#base);
    this.#temporary ??= mkdtemp(join(tmpdir(), 'agenthost-shells-'));
    return this.#temporary;
  }
}
