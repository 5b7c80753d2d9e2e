import type { URI } from '../common/types.ts';

export type ContentEncoding = 'base64' | 'utf-8';

export interface DirectoryEntry {
  name: string;
  type: 'file' | 'directory';
}

export interface ResourceCopyParams {
  channel: 'ahp-root://';
  source: URI;
  destination: URI;
  failIfExists?: boolean;
}

export type ResourceCopyResult = Record<string, unknown>;

export interface ResourceDeleteParams {
  channel: 'ahp-root://';
  uri: URI;
  recursive?: boolean;
}

export type ResourceDeleteResult = Record<string, unknown>;

export interface ResourceListParams {
  channel: 'ahp-root://';
  uri: URI;
}

export interface ResourceListResult {
  entries: DirectoryEntry[];
}

export interface ResourceMkdirParams {
  channel: 'ahp-root://';
  uri: URI;
}

export type ResourceMkdirResult = Record<string, unknown>;

export interface ResourceMoveParams {
  channel: 'ahp-root://';
  source: URI;
  destination: URI;
  failIfExists?: boolean;
}

export type ResourceMoveResult = Record<string, unknown>;

export interface ResourceReadParams {
  channel: 'ahp-root://';
  uri: string;
  encoding?: ContentEncoding;
}

export interface ResourceReadResult {
  data: string;
  encoding: ContentEncoding;
  contentType?: string;
}

export interface ResourceRequestParams {
  channel: 'ahp-root://';
  uri: URI;
  read?: boolean;
  write?: boolean;
}

export type ResourceRequestResult = Record<string, unknown>;

export interface ResourceResolveParams {
  channel: 'ahp-root://';
  uri: URI;
  followSymlinks?: boolean;
}

export interface ResourceResolveResult {
  uri: URI;
  type: ResourceType;
  size?: number;
  mtime?: string;
  ctime?: string;
  contentType?: string;
  etag?: string;
}

export type ResourceType = 'file' | 'directory' | 'symlink';

export type ResourceWriteMode = 'truncate' | 'append' | 'insert';

export interface ResourceWriteParams {
  channel: 'ahp-root://';
  uri: URI;
  data: string;
  encoding: ContentEncoding;
  contentType?: string;
  createOnly?: boolean;
  mode?: ResourceWriteMode;
  position?: number;
  ifMatch?: string;
}

export type ResourceWriteResult = Record<string, unknown>;
