import type { ConnectionParams, Count } from '../wire/basics.ts';

/**
 * `x-beginSignIn` (extension): begins to get a token from the authorization server of a resource, by OAuth 2.1 with PKCE, or with a device code
 * (RFC 8628). The resource must be one that an agent, an MCP server or a tool call needs a token for; others are answered with `-32602`, a server
 * that refuses with `-32010`. A client has at most eight open sign-ins; the ninth ends the oldest one.
 */
export interface BeginSignInParams extends ConnectionParams {
  /** Identifier of the resource. */
  resource: string;
  /** URL that the authorization server returns the browser to. Absent: a device code is used. */
  redirectUri?: string;
  /** One of the authorization servers of the resource. Absent: the first one. */
  authorizationServer?: string;
  /** Id of a client that is registered at the server. Absent: that of the resource, else the host registers one. */
  clientId?: string;
  /** Scopes to request. Absent: those that are needed, else those that the resource supports. */
  scopes?: string[];
}

/** The page that a person has to open. */
export interface BeginSignInResult {
  /** Names the sign-in in `x-finishSignIn`. With a `redirectUri` it is the `state` of the redirect. */
  id: string;
  /** Page of the authorization server. */
  url: string;
  /** Code that the person enters there. Only without a `redirectUri`. */
  userCode?: string;
  /** Seconds until the host ends the sign-in. */
  expiresIn: Count;
}

/**
 * `x-finishSignIn` (extension): completes a sign-in of the same client and passes the token as `authenticate` does [AUTH-20]. With a device code it
 * waits until the person has agreed. `-32008`: there is no such sign-in, or it has ended. `-32011`: the authorization server, or the person, refused.
 */
export interface FinishSignInParams extends ConnectionParams {
  id: string;
  /** Parameter `code` of the redirect. Absent with a device code. */
  code?: string;
  /** Parameter `iss` of the redirect (RFC 9207), if it has one. */
  iss?: string;
}

/** The token that the client now has, so that it can pass the token again. */
export interface FinishSignInResult {
  resource: string;
  token: string;
  /** Absent: unknown. */
  scopes?: string[];
  /** Seconds. Absent: unknown. */
  expiresIn?: Count;
}
