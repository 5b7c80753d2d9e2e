import type { TokenScope } from '../auth/token.ts';
import type { ConnectionParams, Count, NotificationParams, URI } from '../wire/basics.ts';

/**
 * `x-setPresence` (extension): reports the presence of this client to other clients. Replaces the last report of the connection. From the first call
 * on the connection gets `x-presenceChanged`. A new connection has to call it again.
 */
export interface SetPresenceParams extends ConnectionParams {
  /** Sessions, chats and terminals that the client shows, at most 16. Absent: none. */
  showing?: URI[];
  /** Whether a person can see it: the page is in the foreground. The host sends no push for a channel that such a client shows. */
  isVisible: boolean;
  /** Device for people, such as `Chrome on Android`. Absent: unknown. */
  device?: string;
  /** The field in which its person writes now. Absent: nothing. */
  typing?: PresenceTyping;
}

/** Where a person writes. */
export interface PresenceTyping {
  chat: URI;
  /** The input request whose form is filled in. Absent: the message of the chat. */
  requestId?: string;
  /** The question in that form. Absent: not told. */
  questionId?: string;
}

/**
 * `x-presenceChanged` (extension): all connected clients, the receiver included. Sent to connections that have called `x-setPresence`: the
 * first one at once, then at most four a second. Never journaled or replayed.
 */
export interface PresenceChangedParams extends NotificationParams {
  /** At most 256. Clients that called `x-setPresence` come first, each group in the order of connecting. */
  clients: PresentClient[];
  /** Number of connected clients that `clients` leaves out. Absent: none. */
  more?: Count;
}

/** A connected client. */
export interface PresentClient {
  clientId: string;
  /** Title or name of its `clientInfo`; `client` if it has none. */
  name: string;
  /** Absent: not told. */
  device?: string;
  /** The person of its token. Absent: the token has none. */
  person?: string;
  /** Scope of its token. */
  scope: TokenScope;
  /** As it told. Of a client that never called `x-setPresence`: the sessions, chats and terminals that it is subscribed to, at most 16. */
  showing: URI[];
  /** False for a client that never called `x-setPresence`. */
  isVisible: boolean;
  /** Absent: nobody writes there. */
  typing?: PresenceTyping;
  /** ISO 8601. */
  connectedAt: string;
}
