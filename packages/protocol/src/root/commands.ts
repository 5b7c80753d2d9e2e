import type { SessionConfigSchema } from '../config/schema.ts';
import type { SessionSummary } from '../session/state.ts';
import type { ConnectionParams, PaginatedParams, PaginatedResult, URI } from '../wire/basics.ts';

/** `listSessions`: a page of sessions [ROOT-2]. */
export interface ListSessionsParams extends ConnectionParams, PaginatedParams {}

/** Sessions, most recently modified first. */
export interface ListSessionsResult extends PaginatedResult {
  items: SessionSummary[];
}

/** A session that is about to be created, as far as its options are chosen. */
export interface SessionDraftParams extends ConnectionParams {
  /** Absent: the host's default agent. */
  provider?: string;
  /** Absent: `defaultDirectory`. */
  workingDirectory?: URI;
  /** Values chosen so far, by property name. */
  config?: Record<string, unknown>;
}

/** `resolveSessionConfig`: called again after each choice that other options may depend on [ROOT-4]. */
export interface ResolveSessionConfigParams extends SessionDraftParams {}

/** The complete schema and values under the present choices. */
export interface ResolveSessionConfigResult {
  schema: SessionConfigSchema;
  /** The caller's values with defaults. */
  values: Record<string, unknown>;
}

/** `sessionConfigCompletions`: values of a property with `enumDynamic` [ROOT-4]. */
export interface SessionConfigCompletionsParams extends SessionDraftParams {
  /** Name of the property in the schema. */
  property: string;
  /** Search text. Absent or empty: a first selection of values. */
  query?: string;
}

/** Matching values. */
export interface SessionConfigCompletionsResult {
  items: SessionConfigValueItem[];
}

/** One value of a property. */
export interface SessionConfigValueItem {
  /** The value for `config`. */
  value: string;
  label: string;
  description?: string;
}

/** `x-searchSessions` (extension): searches titles, messages and answers. */
export interface SearchSessionsParams extends ConnectionParams {
  /**
   * Words that must all occur, in any order, and "phrases"; the last word matches as a prefix. Case and
   * accents are ignored; there are no operators. At most 1,000 characters; a query without words has no
   * results. A host with too many queued searches of one token answers with -32011.
   */
  query: string;
  /** 1 to 100. Default 20. */
  limit?: number;
  /** `nextCursor` of the previous page, with the same query. */
  cursor?: string;
}

/** Matches, best first; among equally good ones the newest first. */
export interface SearchSessionsResult {
  /** At most a few per session. */
  items: SessionSearchHit[];
  /** Absent: there are no more. */
  nextCursor?: string;
  /** False while the host is still indexing older sessions: later searches may find more. */
  isComplete: boolean;
}

/** One match. */
export interface SessionSearchHit {
  session: SessionSummary;
  /** Absent: the title of the session. */
  chat?: URI;
  /** The turn; absent for a title. */
  turnId?: string;
  field: SessionSearchField;
  /** About 120 characters of the matching line. */
  snippet: string;
  /** Start and end of each match in `snippet`, in UTF-16 code units, in order. */
  matches: [number, number][];
}

/** A title, a message, or an answer (including tool calls and their commands). */
export type SessionSearchField = 'title' | 'message' | 'response';

/** `x-listApprovals` (extension): lists remembered approvals. */
export interface ListApprovalsParams extends ConnectionParams {
  /** Only those that apply in this session. Absent: all. */
  session?: URI;
}

/** Remembered approvals, oldest first. */
export interface ListApprovalsResult {
  items: RememberedApproval[];
}

/** `x-revokeApproval` (extension): revokes a remembered approval, so that people are asked again. */
export interface RevokeApprovalParams extends ConnectionParams {
  /** `id` of the approval. */
  id: string;
}

/** A kind of tool call that runs without a question because a person allowed it for good. */
export interface RememberedApproval {
  id: string;
  /** The agent whose tool it is. */
  provider: string;
  toolName: string;
  /** Kind of tool as the agent named it: `read`, `edit`, `execute` … */
  kind: string;
  scope: ApprovalScope;
  covers: ApprovalCoverage;
  /** Text of the option that was chosen. */
  label: string;
  /** ISO 8601. */
  createdAt: string;
}

/**
 * Where an approval applies: in one session, or in all chats of the agent whose working directory is a folder
 * or below it.
 */
export type ApprovalScope = { kind: 'session'; session: URI } | { kind: 'folder'; folder: URI };

/**
 * What an approval covers: exactly this input, edits of these files, every input of the tool, or an option of
 * the agent itself, whose text is the approval's `label`. The agent remembers its own option and does not ask
 * again. Revoking it gives the chat a new session of the agent from the next turn on; files that the agent
 * wrote stay.
 */
export type ApprovalCoverage =
  | {
      kind: 'input';
      /** For people; shortened when long, and then `isWhole` is false. */
      input: string;
      isWhole: boolean;
    }
  | { kind: 'files'; files: URI[] }
  | { kind: 'tool' }
  | { kind: 'agent' };
