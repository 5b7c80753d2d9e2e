import { invalidParams } from '@agenthost/protocol';

/** Maximum bytes of a content that arrives in pieces. */
const MAX_CONTENT_BYTES = 256 * 1024 * 1024;

/**
 * A content that arrives in pieces. An import has at most one at a time, for all its chats, to limit memory.
 */
export class UnfinishedContent {
  #begun: { readonly key: string; readonly pieces: readonly Buffer[]; readonly size: number } | undefined;

  /** Whether pieces are missing. */
  get isBegun(): boolean {
    return this.#begun !== undefined;
  }

  /**
   * Adds a piece. Returns the whole content with the last piece, `undefined` before. Throws `-32602` if the
   * content is too large, or if another content is unfinished. `undo` is called with a function that undoes
   * the change.
   */
  add(key: string, piece: Buffer, isMore: boolean, undo: (back: () => void) => void): Buffer | undefined {
    const begun = this.#begun;
    if (begun !== undefined && begun.key !== key)
      throw invalidParams('pieces: the last piece of the previous content is missing');
    const size = (begun?.size ?? 0) + piece.byteLength;
    if (size > MAX_CONTENT_BYTES)
      throw invalidParams(`pieces: a content is larger than ${MAX_CONTENT_BYTES} bytes`);
    const pieces = [...(begun?.pieces ?? []), piece];
    undo(() => {
      this.#begun = begun;
    });
    this.#begun = isMore ? { key, pieces, size } : undefined;
    return isMore ? undefined : Buffer.concat(pieces);
  }
}
