/**
 * Why a resource cannot be read: a `folder` is there but has no content of its own, what is `elsewhere` is none that this host could hold, and
 * `unreadable` is anything that is not named here.
 */
export type UnreadableReason = 'missing' | 'denied' | 'folder' | 'tooLarge' | 'elsewhere' | 'unreadable';

/** Rejection of `TurnInput.readResource`. The message is for people, and names no path but that of the URI. */
export class UnreadableResource extends Error {
  override readonly name = 'UnreadableResource';
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
