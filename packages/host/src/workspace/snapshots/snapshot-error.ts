/**
 * A tree that cannot be recorded. `code`: `tooLarge`: too many files or bytes have changed, or to look at them takes too long; `missing`:
 * there is no git program, or an object that the store needs is gone; `stopped`: the host stops; `failed`: git or the file system failed.
 */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
  readonly code: 'tooLarge' | 'missing' | 'stopped' | 'failed';

  constructor(code: SnapshotError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
