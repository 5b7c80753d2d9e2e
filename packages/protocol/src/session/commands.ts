import type { BaseParams, URI } from '../wire/basics.ts';
import type { SessionActiveClient } from './state.ts';

/** `createSession`: `channel` is the URI of the new session [SESS-1] [SESS-2]. */
export interface CreateSessionParams extends BaseParams {
  /** Absent: the host's default agent. */
  provider?: string;
  /** A `file:` URI. Absent: `defaultDirectory`. */
  workingDirectory?: URI;
  /** Starts as a copy. Absent: empty. */
  fork?: SessionForkSource;
  /** Values as `resolveSessionConfig` describes them, by property name. */
  config?: Record<string, unknown>;
  /** The caller joins at once, as by `session/activeClientSet`; only under its own id. */
  activeClient?: SessionActiveClient;
  /** Asks for `root/progress` [ROOT-3]; unique among the caller's open requests. Absent: none is sent. */
  progressToken?: string;
}

/** What a new session is a copy of, up to and including that turn [SESS-12]. */
export interface SessionForkSource {
  session: URI;
  turnId: string;
}

/** `disposeSession`: ends and removes the session in `channel` [SESS-3]. */
export interface DisposeSessionParams extends BaseParams {}

/** `x-diskUse`, an extension of ours: what the session in `channel` takes on the host's disk. */
export interface DiskUseParams extends BaseParams {}

/** Bytes by what they hold; together the session's share of the host's database. */
export interface DiskUseResult {
  /** Completed turns. */
  turnsBytes: number;
  /** The rest of what its channels show. */
  stateBytes: number;
  /** Its envelopes in the replay window; they go by themselves. */
  windowBytes: number;
  /** Contents behind the host's content URIs. */
  contentBytes: number;
}
