/** A request for one message of an agent's model, outside of the conversation of its chat. */
export interface ModelRequest {
  /** The system prompt. Absent: none. */
  readonly system?: string;
  /** Oldest first; not empty. */
  readonly messages: readonly ModelRequestMessage[];
  /** Most tokens of the answer. The agent may set a lower limit. */
  readonly maxTokens: number;
  /** Absent: the default of the model. */
  readonly temperature?: number;
  /** Texts at which the answer ends. Absent: none. */
  readonly stopSequences?: readonly string[];
}

/** A message of a `ModelRequest`. */
export interface ModelRequestMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ModelRequestContent[];
}

/** A text, or a picture as base64 with its media type. Messages of the assistant have texts only. */
export type ModelRequestContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly contentType: string };

/** The answer to a `ModelRequest`. */
export interface ModelRequestAnswer {
  readonly text: string;
  /** Id of the model. */
  readonly model: string;
  /** Whether the answer stopped at its limit of tokens. */
  readonly isCutShort: boolean;
}
