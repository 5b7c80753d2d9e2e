import type { JsonPrimitive } from '../common/config-schema.ts';
import type { SimpleMessageAttachment, TextRange, URI } from '../common/types.ts';

export interface AgentSelection {
  uri: URI;
}

export interface Message {
  text: string;
  origin: MessageOrigin;
  attachments?: MessageAttachment[];
  model?: ModelSelection;
  agent?: AgentSelection;
  _meta?: Record<string, unknown>;
}

export interface MessageAnnotationsAttachment {
  label: string;
  range?: TextRange;
  displayKind?: string;
  _meta?: Record<string, unknown>;
  type: 'annotations';
  resource: URI;
  annotationIds?: string[];
}

export type MessageAttachment =
  | SimpleMessageAttachment
  | MessageEmbeddedResourceAttachment
  | MessageResourceAttachment
  | MessageAnnotationsAttachment;

export interface MessageAttachmentBase {
  label: string;
  range?: TextRange;
  displayKind?: string;
  _meta?: Record<string, unknown>;
}

export interface MessageEmbeddedResourceAttachment {
  label: string;
  range?: TextRange;
  displayKind?: string;
  _meta?: Record<string, unknown>;
  type: 'embeddedResource';
  data: string;
  contentType: string;
  selection?: TextSelection;
}

export type MessageKind = 'user' | 'agent' | 'tool' | 'systemNotification';

export interface MessageOrigin {
  kind: MessageKind;
}

export interface MessageResourceAttachment {
  label: string;
  range?: TextRange;
  displayKind?: string;
  _meta?: Record<string, unknown>;
  uri: URI;
  sizeHint?: number;
  contentType?: string;
  nonce?: string;
  type: 'resource';
  selection?: TextSelection;
}

export interface ModelSelection {
  id: string;
  config?: Record<string, JsonPrimitive>;
}

export interface TextSelection {
  range: TextRange;
}
