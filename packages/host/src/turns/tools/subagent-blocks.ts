import type { ToolCallResult, ToolResultContent, ToolResultSubagentContent } from '@agenthost/protocol';

/** The blocks that name a tool call's worker chats: whatever else the call shows, they stay in it [CHAT-2]. */
export class SubagentBlocks {
  readonly #blocks: ToolResultSubagentContent[] = [];

  add(block: ToolResultSubagentContent): void {
    this.#blocks.push(block);
  }

  /** The content with the blocks that it lacks, ahead of the rest. */
  into(content: readonly ToolResultContent[]): ToolResultContent[] {
    return [...this.#blocks.filter((block) => !names(content, block)), ...content];
  }

  /** Whether a call's content has all of them. */
  areIn(content: readonly ToolResultContent[]): boolean {
    return this.#blocks.every((block) => names(content, block));
  }

  /** A result with the blocks in it. */
  intoResult(result: ToolCallResult): ToolCallResult {
    return this.#blocks.length === 0 ? result : { ...result, content: this.into(result.content ?? []) };
  }
}

const names = (content: readonly ToolResultContent[], { resource }: ToolResultSubagentContent): boolean =>
  content.some((block) => block.type === 'subagent' && block.resource === resource);
