import type { ChatHandle, SessionHandle } from '@agenthost/client';
import type {
  AgentCustomization,
  AgentInfo,
  ChatState,
  Message,
  SessionModelInfo,
} from '@agenthost/protocol';
import { useMemo } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { useRootPart, useSelected } from '../live/use-live.ts';
import type { DraftContent } from './draft/draft-content.ts';
import type { Selection } from './use-sending.ts';

/** The choices for a message, and the chosen ones. */
export interface Choices {
  readonly models: readonly SessionModelInfo[];
  readonly agents: readonly AgentCustomization[];
  /** The model and agent of the next message. */
  readonly selection: Selection;
  /** The description of the selected model. */
  readonly model: SessionModelInfo | undefined;
}

const NO_AGENTS: readonly AgentInfo[] = [];
const NO_MODELS: readonly SessionModelInfo[] = [];

/** The models and custom agents of a session; those of the last message apply until others are chosen. */
export function useSelection(
  link: HostLink,
  session: SessionHandle,
  chat: ChatHandle,
  draft: DraftContent,
): Choices {
  const agentInfos = useRootPart(link, (root) => root.agents, NO_AGENTS);
  const provider = useSelected(session.mirror, (state) => state.provider);
  const customizations = useSelected(session.mirror, (state) => state.customizations);
  const last = useSelected(chat.mirror, lastMessage);
  return useMemo(() => {
    const listed = agentInfos.find((agent) => agent.provider === provider)?.models ?? NO_MODELS;
    const models = listed.filter(({ policyState }) => policyState !== 'disabled');
    const agents = (customizations ?? []).flatMap((each) =>
      each.type === 'mcpServer' ? [] : (each.children ?? []).filter(isAgent),
    );
    const wanted = draft.model ?? last?.model;
    const model = wanted && models.find(({ id }) => id === wanted.id);
    const agent = draft.agent === undefined ? last?.agent : (draft.agent ?? undefined);
    return {
      models,
      agents,
      model,
      selection: {
        // The host rejects a model that the agent does not list.
        model: model === undefined ? undefined : wanted,
        agent: agents.some(({ uri }) => uri === agent?.uri) ? agent : undefined,
      },
    };
  }, [agentInfos, provider, customizations, last, draft.model, draft.agent]);
}

const isAgent = (child: { readonly type: string }): child is AgentCustomization =>
  child.type === 'agent' && Reflect.get(child, 'enabled') !== false;

function lastMessage({ queuedMessages, activeTurn, turns }: ChatState): Message | undefined {
  return (queuedMessages?.at(-1) ?? activeTurn ?? turns.at(-1))?.message;
}
