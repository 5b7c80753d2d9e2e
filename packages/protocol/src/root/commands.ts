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
