import type { TerminalCommandResult, ToolResultContent } from './tool-call.ts';

/**
 * The result of the command that a call's content shows; of one that has not ended, its output so far. `undefined`: the content has neither
 * [CHAT-37].
 */
export function commandResult(
  content: readonly ToolResultContent[] | undefined,
): TerminalCommandResult | undefined {
  for (const block of content ?? []) {
    if (block.type === 'terminal' && block.result !== undefined) return block.result;
    if (block.type === 'text') return { preview: block.text };
  }
  return undefined;
}
