/**
 * A failure of an agent. Clients see `errorType` and the message in `chat/error` [CHAT-5]. The host's own
 * types are `agentError`, `agentExited`, `agentUnresponsive`, `authRequired` and `hostError`; a provider may
 * use others.
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
}
