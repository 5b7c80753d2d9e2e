import type { AutomationRunSummary } from '../automation-run/state.ts';
import type { AgentSelection, Message, ModelSelection } from '../chat/message.ts';
import type { ConfigSchema } from '../config/schema.ts';
import type { ClientPluginCustomization, PluginCustomization } from '../session/customization.ts';
import type { URI, WithMeta } from '../wire/basics.ts';

/** The automations of a host. Exists only on hosts that advertise `automations` [AUTO-1]. */
export interface AutomationState extends WithMeta {
  entries: AutomationEntry[];
}

/** Optional abilities of a host with automations. An absent field means that the host lacks it [AUTO-1]. */
export interface AutomationCapabilities {
  /** Clients may create automations. */
  create?: AutomationCreateCapability;
  /** Automations may start on a schedule. */
  schedules?: AutomationScheduleCapabilities;
  /** Clients may cancel runs. */
  runCancellation?: AutomationRunCancellationCapability;
  /** Most ended runs that the host keeps for each automation. Absent: no limit is known. */
  runHistoryLimit?: number;
  /** Templates may name plugins of clients [AUTO-14]. */
  customizations?: AutomationCustomizationsCapability;
}

/** Details of {@link AutomationCapabilities.create}: none yet. */
export interface AutomationCreateCapability {}

/** Details of {@link AutomationCapabilities.schedules}. */
export interface AutomationScheduleCapabilities {
  /** Minutes between two occurrences of a schedule. Absent: no limit. */
  minIntervalMinutes?: number;
}

/** Details of {@link AutomationCapabilities.runCancellation}: none yet. */
export interface AutomationRunCancellationCapability {}

/** Details of {@link AutomationCapabilities.customizations}: none yet. */
export interface AutomationCustomizationsCapability {}

/** One automation [AUTO-2]. */
export interface AutomationEntry extends WithMeta {
  /** Names the automation; not a channel. Chosen by the client that creates it. */
  resource: URI;
  definition: AutomationDefinition;
  /** ISO 8601. Absent: no run is scheduled. */
  nextRunAt?: string;
  /** Newest first; a part of them when there is a cursor. */
  runs: AutomationRunSummary[];
  /** Cursor for older runs by `fetchAutomationRuns`. Absent: there are none. */
  runsNextCursor?: string;
  /** Operations that clients may ask for now. */
  operations: AutomationOperation[];
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  modifiedAt: string;
  /** Scheduled runs since the automation was enabled. Present with an `afterRuns` condition only [AUTO-13]. */
  runCount?: number;
  /** The host's copies of the plugins of the template [AUTO-14]. Absent: none. */
  customizations?: PluginCustomization[];
}

/** An operation on an automation. */
export type AutomationOperation = 'update' | 'remove' | 'run';

/** What an automation does, and when [AUTO-3]. */
export interface AutomationDefinition extends WithMeta {
  title: string;
  /** First message of every run; its origin has the kind `automation`. */
  message: Message;
  session: AutomationSessionTemplate;
  /** False: triggers start no runs. Manual runs go on [AUTO-9]. */
  enabled: boolean;
  triggers: AutomationTrigger[];
  /** The host disables the automation when one of them is met; at most one of each kind [AUTO-12]. Absent: none. */
  disableConditions?: AutomationDisableCondition[];
}

/** Changes of a definition: each given field is replaced as a whole, absent ones stay [AUTO-8]. */
export interface AutomationDefinitionPatch extends Partial<Omit<AutomationDefinition, '_meta'>>, WithMeta {}

/** The sessions of runs. */
export interface AutomationSessionTemplate {
  /** Absent: the host's default agent. */
  provider?: string;
  /** Absent: the agent's default. */
  model?: ModelSelection;
  /** Absent: none. */
  agent?: AgentSelection;
  /** The first is the primary one. Absent: `defaultDirectory`. */
  workingDirectories?: URI[];
  /** By property name. */
  config?: Record<string, unknown>;
  /** Plugins of the client that saves the template; the host copies them [AUTO-14]. */
  customizations?: ClientPluginCustomization[];
}

/** What starts a run [AUTO-4]. */
export type AutomationTrigger = AutomationScheduleTrigger | AutomationEventTrigger;

/** Starts runs at points in time. */
export interface AutomationScheduleTrigger {
  /** Unique in its definition. */
  id: string;
  kind: 'schedule';
  schedule: AutomationSchedule;
  /** Absent: `runOnce` [AUTO-6]. */
  misfirePolicy?: AutomationMisfirePolicy;
}

/** Points in time [AUTO-5]. */
export interface AutomationSchedule {
  /** Five cron fields: minute, hour, day of month, month, day of week. */
  expression: string;
  /** Name in the IANA time zone database. */
  timeZone: string;
}

/** Occurrences that the host missed: dropped, or made up for by one run [AUTO-6]. */
export type AutomationMisfirePolicy = 'skip' | 'runOnce';

/** Starts runs on events that the host defines [AUTO-7]. */
export interface AutomationEventTrigger extends AutomationTriggerLabels {
  /** Unique in its definition. */
  id: string;
  kind: 'event';
  /** As the host's schema for this type describes. */
  config?: Record<string, unknown>;
}

/** A type of event trigger and its events, with labels of the host. */
export interface AutomationTriggerLabels {
  type: string;
  title: string;
  description?: string;
  events: AutomationTriggerEventDefinition[];
}

/** An event that starts runs. */
export interface AutomationTriggerEventDefinition {
  id: string;
  title: string;
  description?: string;
}

/** A type of event trigger that a host offers [AUTO-7]. */
export interface AutomationTriggerDefinition extends AutomationTriggerLabels {
  /** Schema of `config`. Absent: no settings. */
  configSchema?: ConfigSchema;
}

/** A condition that disables an automation [AUTO-12]. */
export type AutomationDisableCondition = AutomationAfterRunsCondition | AutomationAfterDateCondition;

/** Met after a number of scheduled runs. */
export interface AutomationAfterRunsCondition {
  kind: 'afterRuns';
  /**
   * @asType integer
   * @minimum 1
   */
  max: number;
}

/** Met after a point in time. */
export interface AutomationAfterDateCondition {
  kind: 'afterDate';
  /** ISO 8601. */
  date: string;
}
