import type { ConnectionParams, Count, EmptyResult, URI } from '../wire/basics.ts';

/** How bytes are written in a JSON string. `utf-8` only ever holds valid text [RES-1]. */
export type ContentEncoding = 'base64' | 'utf-8';

/** What a URI names, links seen as links. */
export type ResourceType = 'file' | 'directory' | 'symlink';

/** `resourceRead`: the whole content of a file or content URI. */
export interface ResourceReadParams extends ConnectionParams {
  uri: URI;
  /** A wish. Absent: the receiver chooses; text that is no valid UTF-8 comes as `base64` whatever is asked. */
  encoding?: ContentEncoding;
}

/** Content of a resource. */
export interface ResourceReadResult {
  data: string;
  encoding: ContentEncoding;
  /** Media type. Absent: unknown. */
  contentType?: string;
}

/**
 * Where written bytes go: `truncate` cuts the file at `position` and writes there, `append` inserts `position`
 * bytes before the end, `insert` inserts `position` bytes behind the start.
 */
export type ResourceWriteMode = 'truncate' | 'append' | 'insert';

/** `resourceWrite`: writes a file, which is created when it is missing; its parent has to exist [RES-1] [RES-3]. */
export interface ResourceWriteParams extends ConnectionParams {
  uri: URI;
  data: string;
  encoding: ContentEncoding;
  /** Media type of the data, for receivers that store it. */
  contentType?: string;
  /** True: a file that exists is `-32010`. Absent: false. */
  createOnly?: boolean;
  /** Absent: `truncate`. */
  mode?: ResourceWriteMode;
  /** Bytes, counted as `mode` says. Absent: 0. */
  position?: Count;
  /** `etag` that the file has to have still, else `-32011`. Absent: not looked at. */
  ifMatch?: string;
}

/** Written. */
export type ResourceWriteResult = EmptyResult;

/** `resourceList`: what a directory holds. */
export interface ResourceListParams extends ConnectionParams {
  /** Empty: the host's `defaultDirectory` [RES-1]. */
  uri: URI;
}

/** One name in a directory. */
export interface DirectoryEntry {
  /** Last segment only. */
  name: string;
  type: 'file' | 'directory';
}

/** Entries of one directory, not of those below it. */
export interface ResourceListResult {
  entries: DirectoryEntry[];
}

/** From one place to another. */
export interface ResourceTransferParams extends ConnectionParams {
  source: URI;
  destination: URI;
  /** True: a destination that exists is `-32010`. Absent: it is replaced. */
  failIfExists?: boolean;
}

/** `resourceCopy`. */
export interface ResourceCopyParams extends ResourceTransferParams {}

/** Copied. */
export type ResourceCopyResult = EmptyResult;

/** `resourceMove`. */
export interface ResourceMoveParams extends ResourceTransferParams {}

/** Moved. */
export type ResourceMoveResult = EmptyResult;

/** `resourceDelete`. */
export interface ResourceDeleteParams extends ConnectionParams {
  uri: URI;
  /** True: a directory goes with all it holds. Absent: one that is not empty is `-32011` [RES-1]. */
  recursive?: boolean;
}

/** Deleted. */
export type ResourceDeleteResult = EmptyResult;

/** `resourceResolve`: what is there, and where it really is. Nothing there: `-32008`. */
export interface ResourceResolveParams extends ConnectionParams {
  uri: URI;
  /** False: tells of a link itself. Absent: true. */
  followSymlinks?: boolean;
}

/** What a URI names. */
export interface ResourceResolveResult {
  /** The real URI behind links that were followed. */
  uri: URI;
  type: ResourceType;
  /** Bytes. Absent where it costs too much to know, as for directories. */
  size?: number;
  /** Last change, ISO 8601. Absent: unknown. */
  mtime?: string;
  /** Creation, ISO 8601. Absent: unknown. */
  ctime?: string;
  /** Media type. Absent: unknown. */
  contentType?: string;
  /** Differs when the content has changed; for `ifMatch` of `resourceWrite`. */
  etag?: string;
}

/** `resourceMkdir`: makes a directory and its missing parents; one that exists is fine. */
export interface ResourceMkdirParams extends ConnectionParams {
  uri: URI;
}

/** It is there. */
export type ResourceMkdirResult = EmptyResult;

/** `resourceRequest`: asks for access; refused with `-32009` [RES-2]. */
export interface ResourceRequestParams extends ConnectionParams {
  uri: URI;
  /** Absent: false. */
  read?: boolean;
  /** Absent: false. */
  write?: boolean;
}

/** Access is granted. */
export type ResourceRequestResult = EmptyResult;
