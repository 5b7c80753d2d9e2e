import type { ToolDefinition } from '@agenthost/protocol';

/** A tool that an active client of the session offers and runs. */
export interface ClientTool {
  readonly clientId: string;
  /** What an agent shall call it: the definition's name, marked where another client offers one of that name. Unique in the session. */
  readonly name: string;
  readonly definition: ToolDefinition;
}

/** A call of a client's tool. */
export interface ClientToolCall {
  readonly clientId: string;
  /** The definition's name. */
  readonly toolName: string;
  /** Unique in the turn; the host makes one when absent. */
  readonly toolCallId?: string;
  /** JSON text of what its `inputSchema` asks for; the client judges it. */
  readonly toolInput: string;
  /** A person is asked before it runs. Default: when the tool's annotations call it destructive. */
  readonly asksFirst?: boolean;
}
