import type { McpServerCustomization } from '../mcp/state.ts';
import type { CustomizationBase, CustomizationEnablement, Enableable } from './customization-base.ts';

/** A top-level customization of the agents in a session [CUST-1]. */
export type Customization = PluginCustomization | DirectoryCustomization | McpServerCustomization;

/** A customization inside a plugin or directory [CUST-1]. */
export type ChildCustomization =
  | AgentCustomization
  | SkillCustomization
  | PromptCustomization
  | RuleCustomization
  | HookCustomization
  | McpServerCustomization;

/** The `type` of a child. */
export type ChildCustomizationType = ChildCustomization['type'];

/** Fields of plugins and directories. */
export interface ContainerCustomizationBase extends CustomizationBase {
  /** The client that published it [CUST-2]. Absent: the host. */
  clientId?: string;
  /** Absent: unknown yet. */
  load?: CustomizationLoadState;
  /** Absent: not parsed yet; empty: nothing found [CUST-1]. */
  children?: ChildCustomization[];
}

/** Fields of children. MCP servers are separate: they can be top-level, and have `enablement`. */
export interface ChildCustomizationBase extends CustomizationBase {
  /** Absent: true. Effective only while its container is enabled as well [CUST-1]. */
  enabled?: boolean;
}

/** A bundle of customizations in the layout of Open Plugins [CUST-2]. */
export interface PluginCustomization extends ContainerCustomizationBase, Enableable {
  type: 'plugin';
  /** From its manifest, for display. */
  version?: string;
}

/**
 * A plugin published by a client, with the client's global decision in `enablement` [CUST-22]. The host adds `children` and `load`.
 */
export interface ClientPluginCustomization extends PluginCustomization {
  /** The client's decisions for children, by their name. Absent: none. */
  childEnablement?: Record<string, CustomizationEnablement[]>;
  /** Changes with the plugin's content, so that the host reads it again. */
  nonce?: string;
}

/** A directory that the host searches, existing or not. */
export interface DirectoryCustomization extends ContainerCustomizationBase {
  type: 'directory';
  /** False disables all children [CUST-1]. */
  enabled: boolean;
  /** The type of its files. */
  contents: ChildCustomizationType;
  /** True: clients may write files there [RES-2]. */
  writable: boolean;
}

/** The result of reading a container. */
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

/** Partially read; `message` says what is missing. */
export interface CustomizationDegradedState {
  kind: 'degraded';
  message: string;
}

/** Not read; `message` says why. */
export interface CustomizationErrorState {
  kind: 'error';
  message: string;
}

/** The parties that can invoke a customization. */
export interface InvocationLimits {
  /** True: only people can, not the model. Absent: false. */
  disableModelInvocation?: boolean;
  /** True: only the model can, not people. Absent: false. */
  disableUserInvocation?: boolean;
}

/** An agent with its own prompt, from a Markdown file with front matter. */
export interface AgentCustomization extends ChildCustomizationBase, InvocationLimits {
  type: 'agent';
  /** Strengths of the agent, and when to use it. */
  description?: string;
  /** Absent: the model that the session uses. */
  model?: string;
  /** The tools that it may use. Absent or empty: all. */
  tools?: string[];
}

/** Instructions that are read when needed: a folder with `SKILL.md`, or a slash command. */
export interface SkillCustomization extends ChildCustomizationBase, InvocationLimits {
  type: 'skill';
  /** For help, and for the model to decide when to use it. */
  description?: string;
}

/** A prepared prompt. */
export interface PromptCustomization extends ChildCustomizationBase {
  type: 'prompt';
  description?: string;
}

/** Instructions that are added to the context. */
export interface RuleCustomization extends ChildCustomizationBase {
  type: 'rule';
  description?: string;
  /** True: in every turn. Absent: when the agent or a person decides. */
  alwaysApply?: boolean;
  /** Only for files that match a pattern. Absent: for all. */
  globs?: string[];
}

/** A manifest of commands that run on events. */
export interface HookCustomization extends ChildCustomizationBase {
  type: 'hook';
}
