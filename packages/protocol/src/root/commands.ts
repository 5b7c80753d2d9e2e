import type { SessionConfigSchema } from '../config/schema.ts';
import type { SessionSummary } from '../session/state.ts';
import type { ConnectionParams, PaginatedParams, PaginatedResult, URI } from '../wire/basics.ts';

/** `listSessions` [ROOT-2]. */
export interface ListSessionsParams extends ConnectionParams, PaginatedParams {}

/** Sessions, the last modified first. */
export interface ListSessionsResult extends PaginatedResult {
  items: SessionSummary[];
}

/** A session that somebody is about to create, as far as it is chosen. */
export interface SessionDraftParams extends ConnectionParams {
  /** Absent: the host's default agent. */
  provider?: string;
  /** Absent: `defaultDirectory`. */
  workingDirectory?: URI;
  /** Values chosen up to now, by property name. */
  config?: Record<string, unknown>;
}

/** `resolveSessionConfig`: asked again after each choice that others may depend on [ROOT-4]. */
export interface ResolveSessionConfigParams extends SessionDraftParams {}

/** All there is to set under the present choices, not only what is new. */
export interface ResolveSessionConfigResult {
  schema: SessionConfigSchema;
  /** The caller's values, defaults filled in. */
  values: Record<string, unknown>;
}

/** `sessionConfigCompletions`: values of one property that has `enumDynamic` [ROOT-4]. */
export interface SessionConfigCompletionsParams extends SessionDraftParams {
  /** Its name in the schema. */
  property: string;
  /** Text to search for. Absent or empty: a first choice of values. */
  query?: string;
}

/** Values that match. */
export interface SessionConfigCompletionsResult {
  items: SessionConfigValueItem[];
}

/** One value to choose. */
export interface SessionConfigValueItem {
  /** What goes into `config`. */
  value: string;
  label: string;
  description?: string;
}

/** `x-searchSessions`, an extension of ours: finds sessions by words of their titles, messages and answers. */
export interface SearchSessionsParams extends ConnectionParams {
  /**
   * Words that all have to be there, in any order, and "phrases"; the last word may be the beginning of one. Case and accents do not
   * count, nothing else has a meaning. At most 1,000 characters; without any word there are no results. A host that has too many searches of
   * one token waiting answers -32011.
   */
  query: string;
  /** 1 to 100. Default 20. */
  limit?: number;
  /** `nextCursor` of the page before, with the same query. */
  cursor?: string;
}

/** What was found, best first: what fits well, and of that what is new. */
export interface SearchSessionsResult {
  /** A few of each session at most. */
  items: SessionSearchHit[];
  /** Absent: there are no more. */
  nextCursor?: string;
  /** False while the host is still reading what is older than its index: there may be more to find later. */
  isComplete: boolean;
}

/** One place where something was found. */
export interface SessionSearchHit {
  session: SessionSummary;
  /** Absent: the title of the session itself. */
  chat?: URI;
  /** The turn; absent for a title. */
  turnId?: string;
  field: SessionSearchField;
  /** About 120 characters of one line around it. */
  snippet: string;
  /** Start and end of each match in `snippet`, in UTF-16 units, in order. */
  matches: [number, number][];
}

/** A title, what somebody asked, or what was answered (tool calls and their commands too). */
export type SessionSearchField = 'title' | 'message' | 'response';

/** `x-listApprovals`, an extension of ours: what people have allowed for good. */
export interface ListApprovalsParams extends ConnectionParams {
  /** Those that hold in this session alone. Absent: all. */
  session?: URI;
}

/** Approvals that are remembered, the oldest first. */
export interface ListApprovalsResult {
  items: RememberedApproval[];
}

/** `x-revokeApproval`, an extension of ours: from now on people are asked again. */
export interface RevokeApprovalParams extends ConnectionParams {
  /** An approval's `id`. */
  id: string;
}

/** A kind of tool call that runs without a question, since somebody said so once. */
export interface RememberedApproval {
  id: string;
  /** The agent whose tool it is. */
  provider: string;
  toolName: string;
  /** As the agent called it: `read`, `edit`, `execute` … */
  kind: string;
  scope: ApprovalScope;
  covers: ApprovalCoverage;
  /** The option that was chosen, in its words. */
  label: string;
  /** ISO 8601. */
  createdAt: string;
}

/** Where an approval holds: in one session, or in all chats of the agent that work in a folder or below it. */
export type ApprovalScope = { kind: 'session'; session: URI } | { kind: 'folder'; folder: URI };

/**
 * What an approval lets run: exactly this input, edits of these files, whatever the tool is given, or what the agent itself makes of an option of
 * its own, whose words are the approval's `label`: it remembers that by itself, and asks no more. Revoking that gives the chat a new session of the
 * agent from its next turn on; what the agent has written to files of its own stays.
 */
export type ApprovalCoverage =
  | {
      kind: 'input';
      /** For people; cut when it is long, then `isWhole` is false. */
      input: string;
      isWhole: boolean;
    }
  | { kind: 'files'; files: URI[] }
  | { kind: 'tool' }
  | { kind: 'agent' };
