import type { ChatState, ToolCallState } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { type FixtureOptions, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

/** The code of a rejection. */
export const codeOf = (echo: { rejectionReason?: string } | undefined): string | undefined =>
  echo?.rejectionReason?.split(':')[0];

/** The state of a chat in a new snapshot. */
export async function chatOf(client: RawClient, uri: string, options = {}): Promise<ChatState> {
  const { state } = await client.subscribe(uri, options);
  if (!('turns' in state)) throw new Error(`${uri} is no chat`);
  return state;
}

/** A host with a session whose agent runs turn `t1`. */
export async function inTurn(options: FixtureOptions = {}) {
  const host = await startHost(options);
  const client = await host.client();
  const { session, chat } = await host.session(client);
  await client.act(chat, turnStarted('t1'));
  await host.run();
  const { output } = host.agent.turn;
  const callOf = async (id: string): Promise<ToolCallState | undefined> => {
    await host.run();
    const state = await chatOf(client, chat);
    const parts = [
      ...state.turns.flatMap((turn) => turn.responseParts),
      ...(state.activeTurn?.responseParts ?? []),
    ];
    return parts
      .flatMap((part) => (part.kind === 'toolCall' ? [part.toolCall] : []))
      .find(({ toolCallId }) => toolCallId === id);
  };
  const call = (toolCallId: string) => output.toolCall({ toolCallId, toolName: 'tool', displayName: 'Tool' });
  return { host, client, session, chat, output, call, callOf };
}

export const READY = { invocationMessage: 'does it', toolInput: '{"a":1}' };
export const DONE = { success: true, pastTenseMessage: 'did it' };
