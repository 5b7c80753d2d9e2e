import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for each shell's own start-up files, as long as its terminal runs. */
export class ShellFolders {
  readonly #base: string | undefined;
  #temporary: Promise<string> | undefined;

  /** `base`: absolute path of the folder that holds them over restarts of the host; made when needed. Absent: one for this host. */
  constructor(base: string | undefined) {
    this.#base = base;
  }

  /** Makes the folder of a pty; absolute path, mode 0700. */
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

  /** Removes what a host that was killed has left, but for these ptys. */
  async keepOnly(ptys: ReadonlySet<string>): Promise<void> {
    if (this.#base === undefined) return;
    const names = await readdir(this.#base).catch(() => []);
    await Promise.all(names.filter((name) => !ptys.has(name)).map((name) => this.drop(name)));
  }

  /** The host stops. */
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
