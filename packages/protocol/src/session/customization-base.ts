import type { Icon, TextRange, URI, WithMeta } from '../wire/basics.ts';

/**
 * One decision whether a customization is enabled: in this session, in all sessions of a primary directory, or everywhere [CUST-20].
 */
export type CustomizationEnablement = SessionEnablement | WorkspaceEnablement | GlobalEnablement;

/** A decision for one session. */
export interface SessionEnablement {
  kind: 'session';
  enabled: boolean;
}

/** A decision for all sessions with a primary directory. */
export interface WorkspaceEnablement {
  kind: 'workspace';
  /** The primary directory. */
  uri: URI;
  enabled: boolean;
}

/** A decision for all sessions. */
export interface GlobalEnablement {
  kind: 'global';
  enabled: boolean;
}

/** A customization with decisions of its own: a plugin or an MCP server. */
export interface Enableable {
  /**
   * At most one decision of each kind, in the order session, workspace, global. The first one holds. Absent or empty: enabled [CUST-20].
   */
  enablement?: CustomizationEnablement[];
}

/** Fields of every customization. */
export interface CustomizationBase extends WithMeta {
  /** Unique in the session; actions name customizations by it. */
  id: string;
  /** Source: a file, a directory or the address of a plugin. */
  uri: URI;
  name: string;
  icons?: Icon[];
  /** Range in the file at `uri`. Absent: the whole file. */
  range?: TextRange;
}
