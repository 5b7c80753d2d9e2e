import type { McpServerCustomization } from '../mcp/state.ts';
import type { CustomizationBase } from './customization-base.ts';

/** Something that shapes how agents work in a session, at the top level [CUST-1]. */
export type Customization = PluginCustomization | DirectoryCustomization | McpServerCustomization;

/** What a plugin or directory may hold [CUST-1]. */
export type ChildCustomization =
  | AgentCustomization
  | SkillCustomization
  | PromptCustomization
  | RuleCustomization
  | HookCustomization
  | McpServerCustomization;

/** The `type` of a child. */
export type ChildCustomizationType = ChildCustomization['type'];

/** What containers have. */
export interface ContainerCustomizationBase extends CustomizationBase {
  /** False turns every child off [CUST-1]. */
  enabled: boolean;
  /** The client that published it [CUST-2]. Absent: the host's own. */
  clientId?: string;
  /** Absent: not known yet. */
  load?: CustomizationLoadState;
  /** Absent: not parsed yet; empty: nothing found [CUST-1]. */
  children?: ChildCustomization[];
}

/** What children have. MCP servers do not: they may stand alone, so that they always say whether they are on. */
export interface ChildCustomizationBase extends CustomizationBase {
  /** Absent: true. In effect only while its container is enabled as well [CUST-1]. */
  enabled?: boolean;
}

/** A bundle of customizations in the layout of Open Plugins [CUST-2]. */
export interface PluginCustomization extends ContainerCustomizationBase {
  type: 'plugin';
  /** From its manifest, for display. */
  version?: string;
}

/** A plugin as a client publishes it; the host fills in `children` and `load`. */
export interface ClientPluginCustomization extends PluginCustomization {
  /** Differs when the plugin's content has changed, so that the host reads it again. */
  nonce?: string;
}

/** A directory that the host looks into, whether it exists yet or not. */
export interface DirectoryCustomization extends ContainerCustomizationBase {
  type: 'directory';
  /** What its files are taken for. */
  contents: ChildCustomizationType;
  /** True: clients may write files there [RES-2]. */
  writable: boolean;
}

/** How the reading of a container went. */
export type CustomizationLoadState =
  | CustomizationLoadingState
  | CustomizationLoadedState
  | CustomizationDegradedState
  | CustomizationErrorState;

/** Being read. */
export interface CustomizationLoadingState {
  kind: 'loading';
}

/** Read as a whole. */
export interface CustomizationLoadedState {
  kind: 'loaded';
}

/** Read in part; `message` says what is missing. */
export interface CustomizationDegradedState {
  kind: 'degraded';
  message: string;
}

/** Not read; `message` says why. */
export interface CustomizationErrorState {
  kind: 'error';
  message: string;
}

/** Who may call on a customization. */
export interface InvocationLimits {
  /** True: only people do, the model never by itself. Absent: false. */
  disableModelInvocation?: boolean;
  /** True: only the model does, people cannot pick it. Absent: false. */
  disableUserInvocation?: boolean;
}

/** An agent of its own prompt, from a Markdown file with front matter. */
export interface AgentCustomization extends ChildCustomizationBase, InvocationLimits {
  type: 'agent';
  /** What it is good at and when to use it. */
  description?: string;
  /** Absent: the model that the session uses. */
  model?: string;
  /** The only tools that it may use. Absent or empty: all. */
  tools?: string[];
}

/** Know-how that is read when needed: a folder with `SKILL.md`, or a slash command. */
export interface SkillCustomization extends ChildCustomizationBase, InvocationLimits {
  type: 'skill';
  /** For help, and for the model to tell when it fits. */
  description?: string;
}

/** A prepared prompt. */
export interface PromptCustomization extends ChildCustomizationBase {
  type: 'prompt';
  description?: string;
}

/** Instructions that join the context. */
export interface RuleCustomization extends ChildCustomizationBase {
  type: 'rule';
  description?: string;
  /** True: in every turn. Absent: when agent or person decides so. */
  alwaysApply?: boolean;
  /** Only for files that match one of these. Absent: for all. */
  globs?: string[];
}

/** A manifest of commands that run on events. */
export interface HookCustomization extends ChildCustomizationBase {
  type: 'hook';
}
