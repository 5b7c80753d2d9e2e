import type { SessionConfigSchema } from '../common/config-schema.ts';
import type { URI } from '../common/types.ts';
import type { SessionSummary } from '../session/state.ts';

export interface ListSessionsParams {
  channel: 'ahp-root://';
  limit?: number;
  cursor?: string;
}

export interface ListSessionsResult {
  nextCursor?: string;
  items: SessionSummary[];
}

export interface ResolveSessionConfigParams {
  channel: 'ahp-root://';
  provider?: string;
  workingDirectory?: URI;
  config?: Record<string, unknown>;
}

export interface ResolveSessionConfigResult {
  schema: SessionConfigSchema;
  values: Record<string, unknown>;
}

export interface SessionConfigCompletionsParams {
  channel: 'ahp-root://';
  provider?: string;
  workingDirectory?: URI;
  config?: Record<string, unknown>;
  property: string;
  query?: string;
}

export interface SessionConfigCompletionsResult {
  items: SessionConfigValueItem[];
}

export interface SessionConfigValueItem {
  value: string;
  label: string;
  description?: string;
}
