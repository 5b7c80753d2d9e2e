import type { AgentHealth, AgentInfo } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { HostLink } from '../../live/host-link.ts';
import { useLinkStatus } from '../../live/use-hosts.ts';
import { language, text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Field, Select } from '../../ui/field.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { hostParam } from '../board-session.ts';

const numbers = new Intl.NumberFormat(language, { notation: 'compact' });

/** The choice of the agent. Agents that cannot run are listed with the reason. */
export function AgentField({
  link,
  agents,
  provider,
  error,
  onChange,
}: {
  readonly link: HostLink;
  readonly agents: readonly AgentInfo[];
  readonly provider: string;
  readonly error: string | undefined;
  readonly onChange: (provider: string) => void;
}) {
  const health = useAgentHealth(link);
  const missing = health.filter(
    ({ provider: id, state }) => state === 'missing' && !agents.some((agent) => agent.provider === id),
  );
  const chosen = agents.find((agent) => agent.provider === provider);
  const problem = health.find((each) => each.provider === provider && each.state === 'failed')?.problem;
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <Field
        label={text.newSession.agent}
        description={chosen === undefined ? undefined : <SafeText>{chosen.description}</SafeText>}
        error={error ?? problem}
      >
        {(attributes) => (
          <Select {...attributes} value={provider} onChange={(event) => onChange(event.currentTarget.value)}>
            {agents.map(({ provider: id, displayName }) => (
              <option key={id} value={id}>
                {visibleText(displayName)}
              </option>
            ))}
            {missing.map(({ provider: id, displayName }) => (
              <option key={id} value={id} disabled>
                {text.newSession.unavailable(visibleText(displayName))}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {missing.length > 0 && <MissingAgents link={link} missing={missing} />}
    </div>
  );
}

function MissingAgents({
  link,
  missing,
}: {
  readonly link: HostLink;
  readonly missing: readonly AgentHealth[];
}) {
  return (
    <details className="group text-xs text-muted">
      <summary className="-ms-0.5 flex cursor-pointer list-none items-center gap-1 rounded-md py-0.5 hover:text-text touch:py-2">
        <ChevronRight
          className="size-3.5 transition-transform group-open:rotate-90 rtl:rotate-180"
          aria-hidden
        />
        {text.newSession.unavailableAgents}
      </summary>
      <ul className="mt-1 flex flex-col gap-1 border-s border-line ps-3">
        {missing.map(({ provider, displayName, problem }) => (
          <li key={provider}>
            <SafeText className="text-text">{displayName}</SafeText>
            {problem !== undefined && (
              <>
                {': '}
                <SafeText>{problem}</SafeText>
              </>
            )}
          </li>
        ))}
      </ul>
      <Link
        to="/settings/{-$section}"
        params={{ section: 'agents' }}
        search={{ host: hostParam(link) }}
        className="mt-1 inline-flex min-h-6 items-center text-accent underline touch:min-h-11"
      >
        {text.newSession.showAgents}
      </Link>
    </details>
  );
}

/** The choice of the model. Nothing for an agent that names no models. */
export function ModelField({
  agent,
  model,
  onChange,
}: {
  readonly agent: AgentInfo | undefined;
  /** Empty: the agent's default. */
  readonly model: string;
  readonly onChange: (model: string) => void;
}) {
  const models = agent?.models ?? [];
  if (models.length === 0) return undefined;
  const tokens = models.find(({ id }) => id === model)?.maxContextWindow;
  return (
    <Field
      label={text.newSession.model}
      description={tokens === undefined ? undefined : text.newSession.modelHint(numbers.format(tokens))}
    >
      {(attributes) => (
        <Select {...attributes} value={model} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{text.newSession.defaultModel}</option>
          {models.map(({ id, name, policyState }) => (
            <option key={id} value={id} disabled={policyState === 'disabled'}>
              {policyState === 'disabled'
                ? text.newSession.unavailable(visibleText(name))
                : visibleText(name)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** The agents that the host knows, each with the reason if it cannot run. Empty until the host answered, and for hosts that do not tell. */
function useAgentHealth(link: HostLink): readonly AgentHealth[] {
  const [health, setHealth] = useState<readonly AgentHealth[]>([]);
  const isOnline = useLinkStatus(link).state === 'online';
  const { client } = link;
  useEffect(() => {
    if (client === undefined || !isOnline) return undefined;
    let isWanted = true;
    client.agentHealth().then(
      (items) => {
        if (isWanted) setHealth(items);
      },
      // Other hosts do not know the method.
      () => {
        if (isWanted) setHealth([]);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [client, isOnline]);
  return health;
}
