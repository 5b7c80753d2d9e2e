import type { ChatState, ClientAction, ToolDefinition } from '@agenthost/protocol';
import { denied, openCalls } from '../builders.ts';
import type { SeededRandom } from '../seeded-random.ts';

/** Tools of a joining client; sometimes none. */
export const someTools = (random: SeededRandom): ToolDefinition[] =>
  random.chance(0.8) ? [{ name: 'look', annotations: { destructiveHint: random.chance(0.3) } }] : [];

/**
 * Continues a running call of one of the client's own tools, rarely of another client's tool: sends partial
 * content, a denial or the result.
 */
export function goOnWithTool(
  random: SeededRandom,
  state: ChatState,
  clientId: string,
): ClientAction | undefined {
  const call = openCalls(state).find(
    ({ status, contributor }) =>
      status === 'running' &&
      contributor?.kind === 'client' &&
      (contributor.clientId === clientId || random.chance(0.05)),
  );
  if (call === undefined) return undefined;
  const turnId = state.activeTurn?.id ?? '';
  const { toolCallId } = call;
  const content = [{ type: 'text' as const, text: random.hex(6) }];
  if (random.chance(0.3)) return { type: 'chat/toolCallContentChanged', turnId, toolCallId, content };
  if (random.chance(0.1)) return denied(turnId, toolCallId);
  const result = { success: random.chance(0.8), pastTenseMessage: 'Looked', content };
  return { type: 'chat/toolCallComplete', turnId, toolCallId, result };
}
