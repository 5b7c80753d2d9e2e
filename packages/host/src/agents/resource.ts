/**
 * Why a resource cannot be read. `folder`: it exists but has no content of its own. `elsewhere`: this host
 * cannot have it. `unreadable`: any other reason.
 */
export type UnreadableReason = 'missing' | 'denied' | 'folder' | 'tooLarge' | 'elsewhere' | 'unreadable';

/**
 * `TurnInput.readResource` rejects with this error. The message is for people and contains no path other than
 * that of the URI.
 */
export class UnreadableResource extends Error {
  override readonly name = 'UnreadableResource';
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
