import type { FileEdit, StringOrMarkdown, ToolCallContributor } from '@agenthost/protocol';
import type { ToolKind } from '../agents/tool-call.ts';

/** A question whether a tool call may run, with all that an answer may depend on. */
export interface Ask {
  readonly session: string;
  readonly chat: string;
  readonly toolCallId: string;
  /** The agent. */
  readonly provider: string;
  readonly toolName: string;
  /** The agent's word for it. */
  readonly kind: ToolKind;
  readonly contributor: ToolCallContributor | undefined;
  readonly invocationMessage: StringOrMarkdown;
  readonly toolInput: string | undefined;
  readonly edits: readonly FileEdit[];
  /** Real path of the folder that the chat works in; `undefined` when it has gone. */
  readonly folder: string | undefined;
  /** Real paths of all files that `edits` would touch; `undefined` when there are none, or one cannot be told. */
  readonly files: readonly string[] | undefined;
}

/** Whether a call edits files and says which: nothing is deleted, and the agent calls it an edit or a move. */
export function isEditOfFiles(ask: Ask): ask is Ask & { readonly files: readonly string[] } {
  const isNamedSo = ask.kind === 'edit' || ask.kind === 'move';
  return isNamedSo && ask.files !== undefined && ask.edits.every(({ after }) => after !== undefined);
}
