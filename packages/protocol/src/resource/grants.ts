import type { ConnectionParams, NotificationParams, URI } from '../wire/basics.ts';

/** `x-listGrants` (extension): lists granted access and open requests; of other clients only for admins. The connection then gets `x-grantsChanged`. */
export interface ListGrantsParams extends ConnectionParams {}

/** Both lists, oldest first. */
export interface ListGrantsResult {
  items: AccessGrant[];
  requests: AccessRequest[];
}

/**
 * `x-answerGrant` (extension): answers an open request. The first answer counts: `-32008` when the request is answered or has ended. For
 * admins.
 */
export interface AnswerGrantParams extends ConnectionParams {
  /** `id` of the request. */
  id: string;
  isGranted: boolean;
}

/** `x-revokeGrant` (extension): ends granted access at once; that of other clients only for admins. `-32008` when there is no such grant. */
export interface RevokeGrantParams extends ConnectionParams {
  /** `id` of the grant. */
  id: string;
}

/** `x-grantsChanged` (extension): the lists of `x-listGrants` have changed. Sent to connections that have called it. */
export interface GrantsChangedParams extends NotificationParams {}

/** Access to a file, or to a folder with everything below it. */
interface AccessEntry {
  id: string;
  /** The client that has or wants the access. */
  clientId: string;
  /** The real place, after links were followed. */
  uri: URI;
  /** Read and list. */
  read: boolean;
  /** Write, create, move and delete. */
  write: boolean;
  /** ISO 8601. */
  createdAt: string;
}

/** Access that a client has until it is revoked or its token ends [RES-2]. */
export interface AccessGrant extends AccessEntry {
  /** Id of the client of the admin that granted it. */
  grantedBy: string;
}

/** A `resourceRequest` that waits for an admin [RES-2]. */
export interface AccessRequest extends AccessEntry {
  /** The name that the client has given itself. */
  clientName?: string;
  /** When the host denies it if nobody answers. ISO 8601. */
  expiresAt: string;
}
