import type { ConnectionParams, EmptyResult, NotificationParams, URI } from '../wire/basics.ts';
import type { TokenScope } from './token.ts';

/**
 * The rights of a person in one session, beside the scope of the person's tokens. `observe` sees the session and its chats. `interact` also works in
 * its chats. `admin` may also choose `approvals=all`, share the session and dispose of it.
 */
export type SessionRole = Exclude<TokenScope, 'none'>;

/** The role of a person in a session. */
export interface SessionShare {
  session: URI;
  /** As on the tokens of the person. */
  person: string;
  role: SessionRole;
}

/**
 * `x-setSessionRole` (extension): gives a person a role in a session, in place of an earlier one, for all present and later tokens of the person.
 * For admins of the host or of the session. Takes effect at once on open connections. `-32001`: there is no such session.
 */
export interface SetSessionRoleParams extends ConnectionParams {
  session: URI;
  /** 1 to 100 characters. The person need not have a token yet. */
  person: string;
  /** Absent: the person has no role in the session any more. */
  role?: SessionRole;
}

/** The role is durable. */
export type SetSessionRoleResult = EmptyResult;

/** `x-listSessionRoles` (extension): lists the roles of people in sessions. For admins of the host, or of the session. */
export interface ListSessionRolesParams extends ConnectionParams {
  /** Absent: the roles in all sessions, for admins of the host. */
  session?: URI;
}

/** By session, then by person. */
export interface ListSessionRolesResult {
  items: SessionShare[];
}

/** `x-rolesChanged` (extension): the roles of the receiver's person have changed. Never journaled or replayed. */
export interface RolesChangedParams extends NotificationParams {
  /** All of them, by session. */
  roles: Record<string, SessionRole>;
}
