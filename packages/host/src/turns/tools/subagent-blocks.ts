import type { ToolCallResult, ToolResultContent, ToolResultSubagentContent } from '@agenthost/protocol';

/**
 * The content blocks that refer to a tool call's worker chats. They stay in the call whatever other content
 * it shows [CHAT-2].
 */
export class SubagentBlocks {
  readonly #blocks: ToolResultSubagentContent[] = [];

  add(block: ToolResultSubagentContent): void {
    this.#blocks.push(block);
  }

  /** The content with missing blocks added at the front. */
  into(content: readonly ToolResultContent[]): ToolResultContent[] {
    return [...this.#blocks.filter((block) => !names(content, block)), ...content];
  }

  /** Whether the content contains all blocks. */
  areIn(content: readonly ToolResultContent[]): boolean {
    return this.#blocks.every((block) => names(content, block));
  }

  /** The result with the blocks added. */
  intoResult(result: ToolCallResult): ToolCallResult {
    return this.#blocks.length === 0 ? result : { ...result, content: this.into(result.content ?? []) };
  }
}

const names = (content: readonly ToolResultContent[], { resource }: ToolResultSubagentContent): boolean =>
  content.some((block) => block.type === 'subagent' && block.resource === resource);
