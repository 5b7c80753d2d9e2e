import type { AgentInfo } from '@agenthost/protocol';
import type { HostLink } from '../../live/host-link.ts';
import { useRootPart } from '../../live/use-live.ts';

const NO_AGENTS: readonly AgentInfo[] = [];

/** The agents of a host, and the one to use: that with the id `wanted`, else the host's default agent, else the first one. */
export function useAgent(
  link: HostLink,
  wanted: string | undefined,
): { readonly agents: readonly AgentInfo[]; readonly agent: AgentInfo | undefined } {
  const agents = useRootPart<readonly AgentInfo[]>(link, (state) => state.agents, NO_AGENTS);
  const usual = useRootPart(link, (state) => state.config?.values['defaultAgent'], undefined);
  const find = (id: unknown) => agents.find(({ provider }) => provider === id);
  return { agents, agent: find(wanted) ?? find(usual) ?? agents[0] };
}
