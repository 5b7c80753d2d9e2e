import type { AnnotationAnchor, ChangesSummary, ChannelKind, SessionSummary } from '@agenthost/protocol';
import type { Choice } from '@agenthost/protocol/dialects';

/** Data that only the host knows of a channel, by kind. Durable JSON, never sent to clients. */
export interface ChannelHostData extends Record<ChannelKind, AnyHostData> {
  root: AnyHostData;
  session: SessionHostData;
  chat: ChatHostData;
  terminal: TerminalHostData;
  annotations: AnnotationsHostData;
  automation: AutomationsHostData;
  automationRun: AutomationRunHostData;
}

interface AnyHostData {
  /**
   * Number of the last envelope before the channel was created. A client that subscribed to the URI earlier
   * saw another channel.
   */
  readonly bornSeq?: number;
}

/** Data that only the host knows of a session. */
export interface SessionHostData extends AnyHostData {
  /** The catalogue entry as last written. The next change is compared with it. */
  readonly summary: SessionSummary;
  /** The party that set the title last. A title that a client set is never replaced [SESS-11]. */
  readonly titledBy: 'nobody' | 'message' | 'agent' | 'client';
  /**
   * URIs of the chats of a running import. They are rows, which become channels at the end of the import.
   * Absent: no import is running.
   */
  readonly importing?: readonly string[];
  /** Id of the client that keeps the session out of the list until its first message. Absent: the session is listed. */
  readonly unlistedFor?: string;
  /** Size of what its chats have changed together [SESS-5]. Absent: unknown. */
  readonly changes?: ChangesSummary;
  /** Decisions for this session whether customizations are enabled, by id, oldest first. Absent: none. */
  readonly customizations?: Readonly<Record<string, boolean>>;
  /** Folders of the copies of plugins that it has as a run of an automation, or was made from such a session [AUTO-14]. Absent: none. */
  readonly plugins?: readonly string[];
  /** Model and agent that clients of 0.4 chose. Absent: none. */
  readonly chosen?: Choice;
}

/** Data that only the host knows of a chat. */
export interface ChatHostData extends AnyHostData {
  /** Number of completed turns on disk. The newest has the ordinal `turnCount - 1`. */
  readonly turnCount: number;
  /** Ordinal of the oldest turn that the retention policy has kept. Absent: 0. */
  readonly keptFrom?: number;
  /**
   * Number of the last removal of turns by the retention policy. A client with a lower number may still show
   * them. Absent: none were removed.
   */
  readonly droppedSeq?: number;
  /** The agent's memory, as given by its provider. */
  readonly memory?: unknown;
  /** Id of the content with the hidden turns of a side chat, for its agent [CHAT-39]. Absent: none. */
  readonly context?: string;
  /** Source of the title, if the host has set it. A title that a client set is never replaced [SESS-6]. */
  readonly titledBy?: 'message' | 'agent';
  /** Digest of the session's instructions that the agent was told last. Absent: none. */
  readonly instructed?: string;
  /**
   * BCP 47 locales of the clients that set pending messages, by message id. May contain ids of messages that
   * no longer wait.
   */
  readonly locales?: Readonly<Record<string, string>>;
  /** Model and agent with which a client of 0.4 created the chat. Absent: none. */
  readonly chosen?: Choice;
}

/** Data that only the host knows of a terminal. */
export interface TerminalHostData extends AnyHostData {
  /** Identifies the terminal's pty to the owner of ptys. */
  readonly pty: string;
  /** Byte offset up to which output is contained in envelopes. */
  readonly offset: number;
  /** The party that set the title last. A program never replaces a title that a client set. */
  readonly titledBy: 'host' | 'program' | 'somebody';
  /** The title while nobody has set one. */
  readonly defaultTitle: string;
  /** The last title of a program that is not shown yet, because titles are throttled. */
  readonly heldTitle?: string;
  /**
   * Secret that authenticates the marks of the shell integration. Absent: the terminal has no shell
   * integration.
   */
  readonly nonce?: string;
  /** The first turn that used it, whose history may show it [CHAT-37]. Absent: none. */
  readonly usedBy?: { readonly chat: string; readonly turnId: string };
  /** The terminal was removed, and rebuilt from the history of a chat [CHAT-37]. It is never written back. */
  readonly isHistory?: true;
  /** The command that runs now, as reported by its shell, and its start in ms since the epoch. */
  readonly command?: { readonly id: string; readonly startedAt: number };
}

/** Data that only the host knows of its automations. */
export interface AutomationsHostData extends AnyHostData {
  /** Numbers of the rows with the records of automations, by the automation's URI. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Data that only the host knows of a run of an automation. */
export interface AutomationRunHostData extends AnyHostData {
  /** The turn that is the run. Absent: it has not started. */
  readonly turn?: { readonly chat: string; readonly id: string };
  /** True: it waits for the end of a drain, or for the next host. Absent: it does not. */
  readonly isHeld?: true;
}

/** Data that only the host knows of a session's annotations. */
export interface AnnotationsHostData extends AnyHostData {
  /** True: the channel has a row. Absent: nobody has annotated anything yet. */
  readonly isStored?: true;
  /** Anchors of annotations whose authors may not read files of the host, by the annotation's id. Absent: none. */
  readonly hiddenAnchors?: readonly { readonly id: string; readonly anchor: AnnotationAnchor }[];
}
