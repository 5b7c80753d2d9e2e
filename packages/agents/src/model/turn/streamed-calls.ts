import type { ToolCallHandle, TurnOutput } from '@agenthost/host/agent';
import type { ModelTool } from '../tools/tool.ts';

/** The tool calls of one answer that people see while their input streams. */
export class StreamedCalls {
  readonly #output: TurnOutput;
  readonly #tools: ReadonlyMap<string, ModelTool>;
  readonly #open = new Map<string, ToolCallHandle>();

  constructor(output: TurnOutput, tools: ReadonlyMap<string, ModelTool>) {
    this.#output = output;
    this.#tools = tools;
  }

  /** The model begins a call. Tools of others show themselves when they run. */
  begin(id: string, toolName: string): void {
    if (this.#tools.get(toolName)?.isShownByHost === true) return;
    this.#open.set(id, this.#show(toolName));
  }

  async input(id: string, delta: string): Promise<void> {
    if (delta !== '') await this.#open.get(id)?.input(delta);
  }

  /** The shown call with this id, which is now the caller's to end. Shows one that did not stream. */
  take(id: string, toolName: string): ToolCallHandle {
    const handle = this.#open.get(id) ?? this.#show(toolName);
    this.#open.delete(id);
    return handle;
  }

  /** Ends the calls that nobody took, because the answer broke off. */
  async abandon(): Promise<void> {
    for (const handle of this.#open.values()) {
      handle.run({ invocationMessage: 'The call broke off' });
      await handle.complete({
        success: false,
        pastTenseMessage: 'The call broke off',
        error: { message: 'The connection to the model broke off before the call was complete' },
      });
    }
    this.#open.clear();
  }

  #show(toolName: string): ToolCallHandle {
    const tool = this.#tools.get(toolName);
    return this.#output.toolCall({
      toolName,
      displayName: tool?.displayName ?? toolName,
      ...(tool?.kind === undefined ? {} : { kind: tool.kind }),
    });
  }
}
