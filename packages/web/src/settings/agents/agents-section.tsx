import type { AhpClient } from '@agenthost/client';
import type { AgentHealth, AgentInfo } from '@agenthost/protocol';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { useRootPart } from '../../live/use-live.ts';
import { settingsText } from '../../text/settings-text.ts';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/states.tsx';
import { showError } from '../../ui/toasts.tsx';
import { AnswerView } from '../answer-view.tsx';
import { FramedList, Panel } from '../panel.tsx';
import { useHostAnswer } from '../use-host-answer.ts';
import { AgentEntry } from './agent-entry.tsx';
import { needsAttention } from './agent-order.ts';

/** The same list at each render. */
const NONE: readonly AgentInfo[] = [];

const askAgents = (client: AhpClient): Promise<AgentHealth[]> => client.agentHealth();

/** The agents of a host: those that can run, and the others with the reason. */
export function AgentsSection({ link }: { readonly link: HostLink }) {
  const answer = useHostAnswer(link, askAgents);
  const [isLooking, setLooking] = useState(false);
  const defaultAgent = useRootPart(link, (state) => state.config?.values['defaultAgent'], undefined);
  const infos = useRootPart(link, (state) => state.agents, NONE);
  const refresh = async (): Promise<void> => {
    setLooking(true);
    try {
      await link.client?.agentHealth({ refresh: true });
      // The host keeps the new answer for some seconds.
      await answer.reload();
    } catch (error) {
      showError(settingsText.askFailed(messageOf(error)));
    }
    setLooking(false);
  };
  const isDefault = (agent: AgentHealth): boolean =>
    typeof defaultAgent === 'string' ? agent.provider === defaultAgent : agent.isDefault;
  const list = (title: string, label: string, agents: readonly AgentHealth[]) =>
    agents.length > 0 && (
      <Panel title={title} description={label}>
        <FramedList label={title}>
          {agents.map((agent) => (
            <AgentEntry
              key={agent.provider}
              link={link}
              agent={agent}
              info={infos.find(({ provider }) => provider === agent.provider)}
              isDefault={isDefault(agent)}
              onChanged={answer.reload}
            />
          ))}
        </FramedList>
      </Panel>
    );
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-56 text-sm text-muted">{settingsText.agentsExplain}</p>
        <Button size="small" disabled={isLooking || answer.isAsking} onClick={() => void refresh()}>
          <RefreshCw className={classes('size-4', isLooking && 'animate-spin')} aria-hidden />
          {settingsText.lookAgain}
        </Button>
      </div>
      <AnswerView answer={answer}>
        {(agents) =>
          agents.length === 0 ? (
            <EmptyState title={text.board.noAgentsTitle}>{settingsText.noAgents}</EmptyState>
          ) : (
            <>
              {list(
                settingsText.agentsReady,
                settingsText.agentsReadyExplain,
                agents.filter((agent) => !needsAttention(agent)),
              )}
              {list(
                settingsText.agentsMissing,
                settingsText.agentsMissingExplain,
                agents.filter(needsAttention),
              )}
            </>
          )
        }
      </AnswerView>
    </>
  );
}
