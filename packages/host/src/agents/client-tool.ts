import type { ToolDefinition } from '@agenthost/protocol';

/** A tool that an active client of the session offers and runs. */
export interface ClientTool {
  readonly clientId: string;
  /**
   * Name for agents: that of the definition, made unique where several clients offer the same name. Unique in
   * the session.
   */
  readonly name: string;
  readonly definition: ToolDefinition;
}

/** A call of a client's tool. */
export interface ClientToolCall {
  readonly clientId: string;
  /** The definition's name. */
  readonly toolName: string;
  /** Unique in the turn. Default: chosen by the host. */
  readonly toolCallId?: string;
  /** JSON text that fits the tool's `inputSchema`; the client validates it. */
  readonly toolInput: string;
  /**
   * Whether a person is asked first. Default: true for tools whose annotations say that they are destructive.
   */
  readonly asksFirst?: boolean;
}
