import type { AgentInfo, ProtectedResourceMetadata } from '@agenthost/protocol';
import { useState } from 'react';
import type { HostLink } from '../../live/host-link.ts';
import { useMayAct } from '../../live/use-scope.ts';
import { OAuthSignIn } from '../../oauth/oauth-sign-in.tsx';
import { settingsText } from '../../text/settings-text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { SafeText } from '../../ui/safe-text.tsx';

/** The models of an agent, closed at first. */
export function AgentModels({ agent }: { readonly agent: AgentInfo }) {
  const { models, displayName } = agent;
  if (models.length === 0) return null;
  return (
    <details className="text-xs">
      <summary className="w-fit cursor-pointer rounded py-1 text-muted hover:text-text touch:py-3">
        {settingsText.modelCount(models.length)}
        <span className="sr-only"> ({visibleText(displayName)})</span>
      </summary>
      <ul className="mt-1 flex max-h-48 flex-wrap gap-1.5 overflow-y-auto">
        {models.map(({ id, name }) => (
          <li
            key={id}
            className="max-w-full truncate rounded-md border border-line bg-sunken px-2 py-0.5"
            title={visibleText(id)}
          >
            <SafeText>{name}</SafeText>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The resources that an agent needs a token for, each with a way to sign in [AUTH-2]. */
export function AgentResources({ link, agent }: { readonly link: HostLink; readonly agent: AgentInfo }) {
  return (agent.protectedResources ?? []).map((resource) => (
    <AgentResource key={resource.resource} link={link} metadata={resource} />
  ));
}

function AgentResource({
  link,
  metadata: { resource, resource_name: name = resource, required },
}: {
  readonly link: HostLink;
  readonly metadata: ProtectedResourceMetadata;
}) {
  const mayAct = useMayAct(link);
  const [isDone, setDone] = useState(false);
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-line p-3">
      {!isDone && (
        <p className="text-sm break-words">
          {required === false ? settingsText.mayUseResource : settingsText.needsResource}{' '}
          <SafeText className="font-medium">{name}</SafeText>
        </p>
      )}
      {name !== resource && (
        <p className="text-xs break-all text-muted">
          <SafeText>{resource}</SafeText>
        </p>
      )}
      {mayAct && <OAuthSignIn link={link} request={{ resource }} name={name} onDone={() => setDone(true)} />}
    </div>
  );
}
