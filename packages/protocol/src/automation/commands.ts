import type { BaseParams, ConnectionParams, EmptyResult, URI } from '../wire/basics.ts';
import type { AutomationTriggerDefinition } from './state.ts';

/** Params of commands to the automations channel. */
export interface AutomationsParams extends BaseParams {
  channel: 'ahp-automations://';
}

/** `runAutomation`: starts a manual run [AUTO-10]. */
export interface RunAutomationParams extends AutomationsParams {
  automation: URI;
  /** A second request with the same id gives the same run, also after a restart of the host. */
  requestId: string;
}

/** The run. */
export interface RunAutomationResult {
  /** Its channel. */
  resource: URI;
}

/** `fetchAutomationRuns`: older runs arrive by `automation/set` before the answer [AUTO-11]. */
export interface FetchAutomationRunsParams extends AutomationsParams {
  automation: URI;
  /** `runsNextCursor` of the automation. */
  cursor?: string;
}

/** Empty: the runs are in the state. */
export interface FetchAutomationRunsResult extends EmptyResult {}

/** `listAutomationTriggerDefinitions`: event triggers for automations with these options [AUTO-7]. */
export interface ListAutomationTriggerDefinitionsParams extends ConnectionParams {
  /** Absent: the host's default agent. */
  provider?: string;
  /** Absent: `defaultDirectory`. */
  workingDirectories?: URI[];
  /** Values of the session's configuration, by property name. */
  sessionConfig?: Record<string, unknown>;
}

/** The types of event triggers. */
export interface ListAutomationTriggerDefinitionsResult {
  items: AutomationTriggerDefinition[];
}
