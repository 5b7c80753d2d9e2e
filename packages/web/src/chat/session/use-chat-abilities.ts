import type { SessionHandle } from '@agenthost/client';
import type { HostLink } from '../../live/host-link.ts';
import { useRootPart, useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';

/** Why the session's agent cannot do something with chats; `undefined` when it can. */
export interface ChatAbilities {
  readonly noChats: string | undefined;
  readonly noSideChat: string | undefined;
}

const NO_AGENTS: never[] = [];

/** The chat features of a session's agent. */
export function useChatAbilities(link: HostLink, session: SessionHandle): ChatAbilities {
  const provider = useSelected(session.mirror, (state) => state.provider);
  const agents = useRootPart(link, (state) => state.agents, NO_AGENTS);
  const agent = agents.find((each) => each.provider === provider);
  const name = agent?.displayName ?? provider;
  const chats = agent?.capabilities?.multipleChats;
  return {
    noChats: chats === undefined ? text.chat.needsChatsCapability(name) : undefined,
    noSideChat: chats?.sideChat === true ? undefined : text.chat.needsSideChatCapability(name),
  };
}
