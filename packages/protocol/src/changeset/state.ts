import type { FileEdit } from '../chat/tool-call.ts';
import type { ErrorInfo, StringOrMarkdown } from '../common/types.ts';

export interface Changeset {
  label: string;
  uriTemplate: string;
  description?: string;
  changeKind: string;
}

export interface ChangesetFile {
  id: string;
  edit: FileEdit;
  reviewed?: boolean;
  _meta?: Record<string, unknown>;
}

export interface ChangesetOperation {
  id: string;
  label: string;
  description?: string;
  scopes: ChangesetOperationScope[];
  confirmation?: StringOrMarkdown;
  icon?: string;
  group?: string;
  status: ChangesetOperationStatus;
  error?: ErrorInfo;
}

export type ChangesetOperationScope = 'changeset' | 'resource' | 'range';

export type ChangesetOperationStatus = 'idle' | 'running' | 'error' | 'disabled';

export interface ChangesetState {
  status: ChangesetStatus;
  error?: ErrorInfo;
  files: ChangesetFile[];
  operations?: ChangesetOperation[];
}

export type ChangesetStatus = 'computing' | 'ready' | 'error';
