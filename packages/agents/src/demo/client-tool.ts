import type { ClientTool } from '@agenthost/host/agent';
import type { ToolCallResult } from '@agenthost/protocol';
import { type Scene, speak } from './scene.ts';

/** `tool`: runs a client's tool with this name and reports its answer. */
export async function clientTool(
  scene: Scene,
  offered: readonly ClientTool[],
  { name, input }: { name: string; input: string },
): Promise<void> {
  const tool = offered.find((each) => each.name === name);
  if (tool === undefined) {
    const names = offered.map((each) => `\`${each.name}\``).join(', ');
    return speak(
      scene,
      'markdown',
      `No client offers a tool \`${name}\`. ${names === '' ? 'None is offered.' : `There is ${names}.`}`,
    );
  }
  const { clientId, definition } = tool;
  const result = await scene.output.clientTool({ clientId, toolName: definition.name, toolInput: input });
  scene.signal.throwIfAborted();
  return speak(scene, 'markdown', said(name, result));
}

function said(name: string, { success, content = [], error }: ToolCallResult): string {
  if (!success) return `\`${name}\` failed: ${error?.message ?? 'it did not say why'}.`;
  const text = content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n');
  return text === '' ? `\`${name}\` answered nothing.` : `\`${name}\` answered: ${text}`;
}
