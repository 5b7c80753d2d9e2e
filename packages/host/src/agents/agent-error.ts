/** A failure of an agent. `errorType` goes to clients in `chat/error` [CHAT-5]. */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly errorType: string;

  constructor(errorType: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.errorType = errorType;
  }
}
