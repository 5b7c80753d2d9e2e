import type { ContentRef, StringOrMarkdown, URI } from '../common/types.ts';

export interface ChangesetOperationFollowUp {
  content: ContentRef;
  external?: boolean;
}

export type ChangesetOperationTarget =
  | { kind: string; resource: string; side?: string }
  | { kind: string; resource: string; side?: string; range: string };

export interface InvokeChangesetOperationParams {
  channel: URI;
  operationId: string;
  target?: ChangesetOperationTarget;
}

export interface InvokeChangesetOperationResult {
  message?: StringOrMarkdown;
  followUp?: ChangesetOperationFollowUp;
}
