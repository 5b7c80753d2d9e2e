import type { ToolCallHandle, TurnOutput } from '@agenthost/host/agent';
import type { PlanEntry } from '../session/session-update.ts';

/**
 * An agent's plan of a turn, shown as one running tool call whose message is the list and changes in place. A
 * tool call is kept however the turn ends.
 */
export class PlanBlock {
  readonly #output: TurnOutput;
  #handle: ToolCallHandle | undefined;
  #entries: readonly PlanEntry[] = [];
  #shown = '';

  constructor(output: TurnOutput) {
    this.#output = output;
  }

  update(entries: readonly PlanEntry[]): void {
    this.#entries = entries;
    const markdown = planMarkdown(entries);
    if (markdown === this.#shown || (entries.length === 0 && this.#handle === undefined)) return;
    this.#shown = markdown;
    this.#handle ??= this.#output.toolCall({ toolName: 'plan', displayName: 'Plan' });
    this.#handle.run({ invocationMessage: { markdown } });
    this.#output.activity(entries.find((entry) => entry.status === 'in_progress')?.content);
  }

  /** The turn has ended normally: the plan stays as it was. */
  finish(): void {
    if (this.#handle === undefined) return;
    this.#output.activity(undefined);
    // Resolves at once, because the result needs no approval.
    void this.#handle.complete({
      success: true,
      pastTenseMessage: { markdown: this.#shown },
      structuredContent: { entries: this.#entries.map((entry) => ({ ...entry })) },
    });
  }
}

const BOXES = { pending: '[ ]', in_progress: '[ ] ▸', completed: '[x]' } as const;

function planMarkdown(entries: readonly PlanEntry[]): string {
  return entries
    .map((entry) => `- ${BOXES[entry.status]} ${entry.content.replaceAll(/\s*\n\s*/g, ' ')}`)
    .join('\n');
}
