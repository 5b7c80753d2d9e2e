import type { FileEdit, StringOrMarkdown, ToolCallContributor } from '@agenthost/protocol';
import type { ToolKind } from '../agents/tool-call.ts';

/** A question whether a tool call may run, with all data that an answer can depend on. */
export interface Ask {
  readonly session: string;
  readonly chat: string;
  readonly toolCallId: string;
  /** Id of the agent's provider. */
  readonly provider: string;
  readonly toolName: string;
  /** The kind of tool according to the agent. */
  readonly kind: ToolKind;
  readonly contributor: ToolCallContributor | undefined;
  readonly invocationMessage: StringOrMarkdown;
  readonly toolInput: string | undefined;
  readonly edits: readonly FileEdit[];
  /** Whether no setting may allow the call. */
  readonly isAlwaysAsked: boolean;
  /** Paths outside of the chat's worktree that the call names, as written. Empty: none, or the chat is not isolated. */
  readonly outside: readonly string[];
  /** Real path of the chat's working directory; `undefined` if it no longer exists. */
  readonly folder: string | undefined;
  /** Real paths of all files that `edits` would change; `undefined` if there are none, or one is unknown. */
  readonly files: readonly string[] | undefined;
}

/** Whether a call edits known files: it deletes none, and the agent describes it as an edit or a move. */
export function isEditOfFiles(ask: Ask): ask is Ask & { readonly files: readonly string[] } {
  const isNamedSo = ask.kind === 'edit' || ask.kind === 'move';
  return isNamedSo && ask.files !== undefined && ask.edits.every(({ after }) => after !== undefined);
}
