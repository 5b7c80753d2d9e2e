import type { JsonPrimitive } from '../config/schema.ts';
import type { ContentRef, StringOrMarkdown, TextRange, URI, WithMeta } from '../wire/basics.ts';

/** What starts a turn, steers one, waits in the queue or is being written. */
export interface Message extends WithMeta {
  text: string;
  origin: MessageOrigin;
  attachments?: MessageAttachment[];
  /** Of a sent message, the model that was used. Absent: the agent's default. */
  model?: ModelSelection;
  /** Of a sent message, the custom agent that was used. Absent: none. */
  agent?: AgentSelection;
}

/** Who wrote a message. */
export interface MessageOrigin {
  kind: MessageKind;
}

/** Clients write as `user` only [CHAT-3]. */
export type MessageKind = 'user' | 'agent' | 'tool' | 'systemNotification';

/** A model and its settings. */
export interface ModelSelection {
  id: string;
  /** As the model's `configSchema` says, by property name. */
  config?: Record<string, JsonPrimitive>;
}

/** A custom agent, by the `uri` of its customization. */
export interface AgentSelection {
  uri: URI;
}

/** Something that comes with a message. */
export type MessageAttachment =
  | SimpleMessageAttachment
  | MessageEmbeddedResourceAttachment
  | MessageResourceAttachment
  | MessageAnnotationsAttachment;

/** What every attachment has. Those from `completions` come back with `_meta` untouched [CHAT-16]. */
export interface MessageAttachmentBase extends WithMeta {
  /** For display, a file's name for instance. */
  label: string;
  /** The words of the message that stand for it. Absent: none do. */
  range?: TextRange;
  /** A hint for display: `image`, `document`, `symbol`, `directory`, `selection`, or something newer. */
  displayKind?: string;
}

/** An attachment that only its maker understands. */
export interface SimpleMessageAttachment extends MessageAttachmentBase {
  type: 'simple';
  /** What the model is given. Absent only for those that the host itself proposed by `completions`. */
  modelRepresentation?: string;
}

/** A file within the message: for small ones, a pasted image for instance. */
export interface MessageEmbeddedResourceAttachment extends MessageAttachmentBase {
  type: 'embeddedResource';
  /** Base64. */
  data: string;
  /** Media type. */
  contentType: string;
  /** The part that is meant. Absent: all of it. */
  selection?: TextSelection;
}

/** A file by reference. */
export interface MessageResourceAttachment extends MessageAttachmentBase, ContentRef {
  type: 'resource';
  /** The part that is meant. Absent: all of it. */
  selection?: TextSelection;
}

/** Annotations of a session. */
export interface MessageAnnotationsAttachment extends MessageAttachmentBase {
  type: 'annotations';
  /** The annotations channel. */
  resource: URI;
  /** Absent: all of the channel's. */
  annotationIds?: string[];
  /** An extension of ours: the annotations themselves, for agents that cannot look them up on the channel. */
  'x-annotations'?: QuotedAnnotation[];
}

/** An annotation that a message carries: the file, what is meant of it with the words that stand there, and what is said of them. */
export interface QuotedAnnotation {
  resource: URI;
  /** Absent: the whole file. */
  range?: TextRange;
  /** The words of the file within `range`, as they were when the annotation was attached. */
  quote?: string;
  text?: StringOrMarkdown;
}

/** Part of a text. */
export interface TextSelection {
  range: TextRange;
}
