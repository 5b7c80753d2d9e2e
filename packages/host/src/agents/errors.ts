/**
 * Whether a value is an error of this name with these texts. A provider that comes as a package may bring its own copy of this module, whose
 * classes are not the host's.
 */
function isNamed(value: unknown, name: string, field: string): boolean {
  return value instanceof Error && value.name === name && typeof Reflect.get(value, field) === 'string';
}

/**
 * A failure of an agent. Clients see `errorType` and the message in `chat/error` [CHAT-5]. The host's own
 * types are `agentError`, `agentExited`, `agentMissing`, `agentUnresponsive`, `authRequired` and `hostError`; a provider may
 * use others. A turn that failed with `agentMissing` or `authRequired` is not resumable [CHAT-22].
 *
 * @example
 * throw new AgentError('agentError', 'Echo could not be started: no command echo-agent on the PATH');
 */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly errorType: string;

  constructor(errorType: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.errorType = errorType;
  }

  /** Errors of another copy of this module count. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isNamed(value, 'AgentError', 'errorType');
  }
}

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

  /** Errors of another copy of this module count. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isNamed(value, 'UnreadableResource', 'reason');
  }
}
