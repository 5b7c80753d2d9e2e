/** An entry of a folder of customizations. Links count as what they lead to. */
export interface SourceEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory';
}

/** Reads the files of customizations, from the disk of the host or from a client. Paths are relative, with `/`; '' is the root. */
export interface SourceFiles {
  /** The URI of a file or folder. */
  uriOf(path: string): string;
  /** The entries of a folder, sorted by name. `undefined`: there is no such folder. Rejects with `SourceFault`. */
  list(path: string): Promise<readonly SourceEntry[] | undefined>;
  /** The text of a file. `undefined`: there is no such file. Rejects with `SourceFault`. */
  read(path: string): Promise<string | undefined>;
}

/** A file or a folder of customizations cannot be read. `message` is for people, without the path. */
export class SourceFault extends Error {
  override readonly name = 'SourceFault';
}

/** Largest file of customizations, in bytes. */
export const MAX_FILE_BYTES = 64 * 1024;
/** Maximum entries of one folder that are read. */
export const MAX_ENTRIES = 500;
