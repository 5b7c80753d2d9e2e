import type { TokenScope } from '../auth/token.ts';
import type { Count, URI } from './basics.ts';

/**
 * Why a host refused something, as data. Clients build their own sentence from it. It is an extension: it comes as `x-refusal` in the
 * `data` of an error, in the envelope of a rejected action, or (as JSON) in a header of an HTTP answer. The English text beside it
 * says the same for clients that do not know it. Clients ignore kinds that they do not know.
 */
export type RefusalDetails =
  | ScopeRefusal
  | LimitRefusal
  | SizeRefusal
  | ParameterRefusal
  | FolderRefusal
  | SettingRefusal
  | TlsRefusal
  | DatabaseRefusal;

/** The token does not have the scope that a request or an action requires [AUTH-1]. */
export interface ScopeRefusal {
  kind: 'scope';
  /** The least scope that is required. */
  needed: TokenScope;
  /** The scope of the connection's token. */
  held: TokenScope;
  /** The method of the request or the type of the action. */
  asked: string;
  /** The setting that requires the scope, where the method or the action alone does not. */
  setting?: string;
}

/** A limit of the host or of a session is reached. */
export interface LimitRefusal {
  kind: 'limit';
  /** The things counted: `terminals` or `watches` of the host, `watchedFiles`, or `chats` of a session. */
  of: string;
  max: Count;
}

/** A text, a list or a whole value is too large. */
export interface SizeRefusal {
  kind: 'size';
  /** The path of the field, such as `action.title`, or the part of a channel's state, such as `config`. */
  field: string;
  /** `characters` of one text, `members` of a list or a map, or `charactersAltogether` with all that the value contains. */
  unit: 'characters' | 'members' | 'charactersAltogether';
  max: Count;
  actual: Count;
}

/** A parameter of the request, or a key of a configuration, does not have the form that it must have. */
export interface ParameterRefusal {
  kind: 'parameter';
  /** Its path, such as `config.approvals`. */
  parameter: string;
  /** The expected and the received value, in English. */
  problem: string;
}

/** A working directory cannot be used [SESS-1]. */
export interface FolderRefusal {
  kind: 'folder';
  uri: URI;
  /** `outside`: it is not within the host's `roots`. `private`: it belongs to the host itself. */
  reason: 'missing' | 'outside' | 'private';
  /** Folders that the host offers, as paths; only with `outside`. At most five are listed. */
  roots?: string[];
}

/** A setting of the host does not let the connection in. */
export interface SettingRefusal {
  kind: 'setting';
  setting: 'allowedHosts' | 'allowedOrigins';
  /** The entry that would let it in. */
  value: string;
}

/** The port speaks TLS, and the request came without. */
export interface TlsRefusal {
  kind: 'tls';
}

/** The host cannot use its database server. */
export interface DatabaseRefusal {
  kind: 'database';
  /** `unreachable`: the server does not answer. The host keeps trying to reach it. */
  state: 'unreachable';
}
