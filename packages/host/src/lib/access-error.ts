/** A file or folder of the host is not safe to use, or cannot be used. The message is one line for people that says what to do. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
}
