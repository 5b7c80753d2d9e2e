import { type AgentHealth, type AgentInfo, ROOT_URI } from '@agenthost/protocol';
import { useNavigate } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, CircleDashed, SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import { hostParam } from '../../board/board-session.ts';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { useIsAdmin, useMayAct } from '../../live/use-scope.ts';
import { openTerminal } from '../../terminal/open-terminal.ts';
import { settingsText } from '../../text/settings-text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { showError, showToast } from '../../ui/toasts.tsx';
import { CopyLine } from '../copy-line.tsx';
import { Badge } from '../panel.tsx';
import { AgentModels, AgentResources } from './agent-details.tsx';
import { AgentKey } from './agent-key.tsx';

/** One agent: whether it can run, and the commands that help. */
export function AgentEntry({
  link,
  agent,
  info,
  isDefault,
  onChanged,
}: {
  readonly link: HostLink;
  readonly agent: AgentHealth;
  /** Its description in the state of the host. Absent: sessions cannot use it. */
  readonly info: AgentInfo | undefined;
  readonly isDefault: boolean;
  /** Asks for the agents again. */
  readonly onChanged: () => Promise<void>;
}) {
  const { displayName, description, version, models, problem, state, isBuiltIn, key, package: pack } = agent;
  const facts = [
    version === undefined ? undefined : settingsText.versionOf(visibleText(version)),
    info !== undefined || models === undefined ? undefined : settingsText.modelCount(models),
    pack === undefined ? undefined : settingsText.packageOf(visibleText(pack)),
    isBuiltIn ? settingsText.builtIn : undefined,
  ].filter((fact) => fact !== undefined);
  return (
    <li className="flex flex-col gap-3 px-4 py-3.5">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-medium">
            <SafeText className="break-words">{displayName}</SafeText>
            <StateBadge state={state} />
            {isDefault && <Badge tone="accent">{settingsText.default}</Badge>}
          </p>
          {description !== undefined && description !== '' && (
            <p className="mt-0.5 text-xs text-muted">
              <SafeText>{description}</SafeText>
            </p>
          )}
          {facts.length > 0 && <p className="mt-0.5 text-xs text-faint">{facts.join(' · ')}</p>}
        </div>
        {state === 'ready' && !isDefault && <MakeDefault link={link} agent={agent} />}
      </div>
      {problem !== undefined && (
        <p className="text-sm break-words">
          <SafeText>{problem}</SafeText>
        </p>
      )}
      {info !== undefined && <AgentModels agent={info} />}
      <Command link={link} agent={agent} kind="install" />
      {key !== undefined && <AgentKey link={link} agent={agent} source={key} onChanged={onChanged} />}
      {key === undefined && <Command link={link} agent={agent} kind="signIn" />}
      {info !== undefined && <AgentResources link={link} agent={info} />}
    </li>
  );
}

const STATES = {
  ready: { tone: 'ok', Icon: CircleCheck },
  missing: { tone: 'plain', Icon: CircleDashed },
  failed: { tone: 'danger', Icon: CircleAlert },
} as const;

function StateBadge({ state }: { readonly state: AgentHealth['state'] }) {
  const { tone, Icon } = STATES[state];
  return (
    <Badge tone={tone}>
      <Icon className="size-3.5" aria-hidden />
      {settingsText.agentStates[state]}
    </Badge>
  );
}

function MakeDefault({ link, agent }: { readonly link: HostLink; readonly agent: AgentHealth }) {
  const isAdmin = useIsAdmin(link);
  if (!isAdmin) return null;
  const choose = async (): Promise<void> => {
    const outcome = await link.client?.dispatch(ROOT_URI, {
      type: 'root/configChanged',
      config: { defaultAgent: agent.provider },
    });
    if (outcome?.outcome === 'accepted')
      showToast({ message: settingsText.isDefaultNow(visibleText(agent.displayName)) });
    else if (outcome !== undefined)
      showError(settingsText.refused('reason' in outcome ? outcome.reason : settingsText.hostAway));
  };
  return (
    <Button size="small" look="ghost" className="text-muted" onClick={() => void choose()}>
      {settingsText.makeDefault}
    </Button>
  );
}

/** The command that installs the agent or signs it in, if it helps now. */
function Command({
  link,
  agent,
  kind,
}: {
  readonly link: HostLink;
  readonly agent: AgentHealth;
  readonly kind: 'install' | 'signIn';
}) {
  const mayAct = useMayAct(link);
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);
  const command = kind === 'install' ? agent.installCommand : agent.signInCommand;
  if (command === undefined) return null;
  // Signing in needs an installed agent.
  if (kind === 'signIn' && agent.state === 'missing') return null;
  const label = settingsText.commandLabels[kind];
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      const name = `${label}: ${visibleText(agent.displayName)}`;
      const open = await openTerminal(link, { command, name });
      await navigate({ to: '/terminals', search: { host: hostParam(link), open } });
    } catch (error) {
      showError(settingsText.terminalFailed(messageOf(error)));
      setBusy(false);
    }
  };
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-xs text-muted">{settingsText.commandExplain[kind]}</p>
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-0 flex-1 basis-64">
          <CopyLine value={command} label={label} />
        </div>
        {mayAct && (
          <Button size="small" disabled={isBusy} onClick={() => void run()}>
            <SquareTerminal className="size-4" aria-hidden />
            {settingsText.runInTerminal}
          </Button>
        )}
      </div>
    </div>
  );
}
