import type { ClientTool, HostTool } from '@agenthost/host/agent';
import type { ToolCallResult } from '@agenthost/protocol';
import { type Scene, speak } from './scene.ts';

/** `tool`: runs a tool of a client, of an MCP server or of the host with this name, and reports its answer. */
export async function clientTool(
  scene: Scene,
  { clients, host }: { readonly clients: readonly ClientTool[]; readonly host: readonly HostTool[] },
  { name, input }: { name: string; input: string },
): Promise<void> {
  const tool = clients.find((each) => each.name === name);
  if (tool === undefined && host.some((each) => each.name === name)) {
    const result = await scene.output.hostTool({ name, toolInput: input }, scene.signal);
    scene.signal.throwIfAborted();
    return speak(scene, 'markdown', said(name, result));
  }
  if (tool === undefined) {
    const names = [...clients, ...host].map((each) => `\`${each.name}\``).join(', ');
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
