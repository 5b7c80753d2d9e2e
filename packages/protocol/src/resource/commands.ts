import type { ConnectionParams, Count, EmptyResult, URI } from '../wire/basics.ts';

/** The encoding of bytes in a JSON string. `utf-8` is used only for valid text [RES-1]. */
export type ContentEncoding = 'base64' | 'utf-8';

/** The kind of a resource; links are not followed. */
export type ResourceType = 'file' | 'directory' | 'symlink';

/** `resourceRead`: the whole content of a file or content URI. */
export interface ResourceReadParams extends ConnectionParams {
  uri: URI;
  /**
   * Preferred encoding. Absent: chosen by the receiver. Content that is not valid UTF-8 is always sent as
   * `base64`.
   */
  encoding?: ContentEncoding;
  /** Extension: only these bytes are read, as `base64`. Absent: the whole content. */
  'x-range'?: ByteRange;
}

/** Consecutive bytes of a content. Bytes beyond its end are left out. */
export interface ByteRange {
  /** Bytes before the range. */
  start: Count;
  /** In bytes. */
  length: Count;
}

/** The content of a resource, or a range of it. */
export interface ResourceReadResult {
  data: string;
  encoding: ContentEncoding;
  /** Media type. Absent: unknown. */
  contentType?: string;
  /** Extension: bytes of the whole content, in the answer to a request with `x-range`. Absent: `data` is the whole content. */
  'x-size'?: Count;
  /** Extension: the `etag` of the file, in the answer to a request with `x-range`. Absent: the content never changes. */
  'x-etag'?: string;
}

/**
 * Where written bytes go. `truncate` cuts the file at `position` and writes there, `append` inserts
 * `position` bytes before the end, `insert` inserts `position` bytes after the start.
 */
export type ResourceWriteMode = 'truncate' | 'append' | 'insert';

/** `resourceWrite`: writes a file and creates it if missing; its parent must exist [RES-1] [RES-3]. */
export interface ResourceWriteParams extends ConnectionParams {
  uri: URI;
  data: string;
  encoding: ContentEncoding;
  /** Media type of the data, for receivers that store it. */
  contentType?: string;
  /** True: an existing file is answered with `-32010`. Absent: false. */
  createOnly?: boolean;
  /** Absent: `truncate`. */
  mode?: ResourceWriteMode;
  /** In bytes, counted as `mode` says. Absent: 0. */
  position?: Count;
  /** The `etag` that the file must still have, else `-32011`. Absent: not checked. */
  ifMatch?: string;
}

/** The file was written. */
export interface ResourceWriteResult {
  /** Extension: the `etag` of the written file, for the next `ifMatch`. Absent: unknown. */
  'x-etag'?: string;
}

/** `resourceList`: lists the entries of a directory. */
export interface ResourceListParams extends ConnectionParams {
  /** Empty: the host's `defaultDirectory` [RES-1]. */
  uri: URI;
}

/** One entry of a directory. */
export interface DirectoryEntry {
  /** The last segment only. */
  name: string;
  /** Links are followed; `file` is anything but a directory. */
  type: 'file' | 'directory';
  /** Extension: true: it is a symbolic link. Absent: it is not. */
  'x-isLink'?: true;
}

/** The direct entries of a directory: directories first, each kind by name. */
export interface ResourceListResult {
  entries: DirectoryEntry[];
  /** Extension: the listed directory, for a request without one. */
  'x-uri'?: URI;
  /** Extension: true: the directory has more entries, which are left out. Absent: all are listed. */
  'x-more'?: true;
}

/** Source and destination. */
export interface ResourceTransferParams extends ConnectionParams {
  source: URI;
  destination: URI;
  /** True: an existing destination is answered with `-32010`. Absent: it is replaced. */
  failIfExists?: boolean;
}

/** `resourceCopy`: copies a resource. */
export interface ResourceCopyParams extends ResourceTransferParams {}

/** Copied. */
export type ResourceCopyResult = EmptyResult;

/** `resourceMove`: moves a resource. */
export interface ResourceMoveParams extends ResourceTransferParams {}

/** Moved. */
export type ResourceMoveResult = EmptyResult;

/** `resourceDelete`: deletes a resource. */
export interface ResourceDeleteParams extends ConnectionParams {
  uri: URI;
  /**
   * True: a directory is deleted with its content. Absent: a directory that is not empty is answered with
   * `-32011` [RES-1].
   */
  recursive?: boolean;
}

/** Deleted. */
export type ResourceDeleteResult = EmptyResult;

/**
 * `resourceResolve`: the kind and real location of a resource. Answered with `-32008` when it does not exist.
 */
export interface ResourceResolveParams extends ConnectionParams {
  uri: URI;
  /** False: describes a link itself. Absent: true. */
  followSymlinks?: boolean;
}

/** The resource behind a URI. */
export interface ResourceResolveResult {
  /** The real URI after links were followed. */
  uri: URI;
  type: ResourceType;
  /** Bytes. Absent where it is expensive to determine, as for directories. */
  size?: number;
  /** Last change, ISO 8601. Absent: unknown. */
  mtime?: string;
  /** Creation, ISO 8601. Absent: unknown. */
  ctime?: string;
  /** Media type. Absent: unknown. */
  contentType?: string;
  /** Changes when the content changes; for `ifMatch` of `resourceWrite`. */
  etag?: string;
}

/** `resourceMkdir`: creates a directory and its missing parents. An existing one is no error. */
export interface ResourceMkdirParams extends ConnectionParams {
  uri: URI;
}

/** The directory exists. */
export type ResourceMkdirResult = EmptyResult;

/**
 * `resourceRequest`: asks for access to a file, or to a folder with everything below it. Answered when access is granted, with `-32009` when
 * it is denied or nobody answers in time [RES-2].
 */
export interface ResourceRequestParams extends ConnectionParams {
  uri: URI;
  /** Absent: false. */
  read?: boolean;
  /** Absent: false. */
  write?: boolean;
}

/** Access was granted. */
export type ResourceRequestResult = EmptyResult;
