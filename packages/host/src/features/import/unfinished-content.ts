import { invalidParams } from '@agenthost/protocol';

/** Largest content that comes in pieces; bytes. */
const MAX_CONTENT_BYTES = 256 * 1024 * 1024;

/** The content that comes in pieces: one at a time in an import, whatever its chat, so that no more of it is in memory. */
export class UnfinishedContent {
  #begun: { readonly key: string; readonly pieces: readonly Buffer[]; readonly size: number } | undefined;

  /** Whether a piece is missing. */
  get isBegun(): boolean {
    return this.#begun !== undefined;
  }

  /**
   * Adds a piece; all of the content with the last one, `undefined` before. Throws `-32602` when it is too large, and for another content
   * than the one that was begun. `undo` is called with what takes it back.
   */
  add(key: string, piece: Buffer, isMore: boolean, undo: (back: () => void) => void): Buffer | undefined {
    const begun = this.#begun;
    if (begun !== undefined && begun.key !== key)
      throw invalidParams('pieces: the last piece of the content before is missing');
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
