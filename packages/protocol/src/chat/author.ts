/**
 * Extension: the client behind an answer or a message. The host writes it; clients cannot. Absent: the host or an agent acted by itself, or
 * the host does not tell.
 */
export interface Author {
  clientId: string;
  /** Title or name of the client's `clientInfo`; `client` if it has none. */
  name: string;
  /** `x-device` of its `clientInfo`. Absent: unknown. */
  device?: string;
  /** The person whose token the client used. Absent: the token has no person. */
  person?: string;
}

/** The name of an author for people: the person, or else the client. */
export const authorName = ({ person, name }: { name: string; person?: string }): string => person ?? name;

/** Extension: the agent behind an annotation entry. The host writes it; clients cannot. */
export interface AgentAuthor {
  /** Provider id of the agent. */
  provider: string;
  /** Display name of the agent. */
  name: string;
}
