import type { JsonPrimitive } from '../config/schema.ts';
import type { ContentRef, StringOrMarkdown, TextRange, URI, WithMeta } from '../wire/basics.ts';

/** A message that starts a turn, steers one, waits in the queue, or is a draft. */
export interface Message extends WithMeta {
  text: string;
  origin: MessageOrigin;
  attachments?: MessageAttachment[];
  /** In a sent message the model that was used. Absent: the agent's default. */
  model?: ModelSelection;
  /** In a sent message the custom agent that was used. Absent: none. */
  agent?: AgentSelection;
}

/** The author of a message. */
export interface MessageOrigin {
  kind: MessageKind;
}

/** Clients may write only as `user` [CHAT-3]. */
export type MessageKind = 'user' | 'agent' | 'tool' | 'systemNotification' | 'automation';

/** A model and its settings. */
export interface ModelSelection {
  id: string;
  /** Values by property name, as the model's `configSchema` describes. */
  config?: Record<string, JsonPrimitive>;
}

/** A custom agent, by the `uri` of its customization. */
export interface AgentSelection {
  uri: URI;
}

/** An attachment of a message. */
export type MessageAttachment =
  | SimpleMessageAttachment
  | MessageEmbeddedResourceAttachment
  | MessageResourceAttachment
  | MessageAnnotationsAttachment
  | MessageChatAttachment;

/** Fields of every attachment. Attachments from `completions` are sent with `_meta` unchanged [CHAT-16]. */
export interface MessageAttachmentBase extends WithMeta {
  /** For display, for example the name of a file. */
  label: string;
  /** The range of the message's text that stands for it. Absent: none. */
  range?: TextRange;
  /** Display hint: `image`, `document`, `symbol`, `directory`, `selection`, or a newer value. */
  displayKind?: string;
}

/** An attachment that only its creator understands. */
export interface SimpleMessageAttachment extends MessageAttachmentBase {
  type: 'simple';
  /** Text for the model. Absent only for attachments that the host proposed by `completions`. */
  modelRepresentation?: string;
}

/** A file inside the message, for small files such as a pasted image. */
export interface MessageEmbeddedResourceAttachment extends MessageAttachmentBase {
  type: 'embeddedResource';
  /** Base64. */
  data: string;
  /** Media type. */
  contentType: string;
  /** The selected part. Absent: the whole file. */
  selection?: TextSelection;
}

/** A file by reference. */
export interface MessageResourceAttachment extends MessageAttachmentBase, ContentRef {
  type: 'resource';
  /** The selected part. Absent: the whole file. */
  selection?: TextSelection;
}

/** Annotations of a session. */
export interface MessageAnnotationsAttachment extends MessageAttachmentBase {
  type: 'annotations';
  /** The annotations channel. */
  resource: URI;
  /** Absent: all of the channel's. */
  annotationIds?: string[];
  /** Extension: the annotations themselves, for agents that cannot read the channel. */
  'x-annotations'?: QuotedAnnotation[];
}

/** The transcript of another chat, which may belong to another session [CHAT-40]. */
export interface MessageChatAttachment extends MessageAttachmentBase {
  type: 'chat';
  resource: URI;
  /**
   * The last turn of the transcript. Absent when sent: the host names the last completed turn when it accepts the message; it stays absent if
   * there is none.
   */
  endTurn?: string;
}

/** An annotation inside a message: the file, the range, the quoted text and the entries. */
export interface QuotedAnnotation {
  /** Id of the annotation. Absent: unknown. */
  id?: string;
  resource: URI;
  /** Absent: the whole file. */
  range?: TextRange;
  /** The text of the file within `range` at the time of attaching. */
  quote?: string;
  text?: StringOrMarkdown;
}

/** Part of a text. */
export interface TextSelection {
  range: TextRange;
}
