import type { AgentInfo } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import { hostParam } from '../board/board-session.ts';
import type { HostLink } from '../live/host-link.ts';
import { oauthText } from '../text/oauth-text.ts';
import { SignInButton } from './sign-in-button.tsx';

/** The ways to sign in to an agent: a button for each resource that it needs a token for, else its entry in the settings. */
export function AgentSignIn({
  link,
  agent,
  onSignedIn,
}: {
  readonly link: HostLink;
  readonly agent: AgentInfo | undefined;
  /** Called after each sign-in. */
  readonly onSignedIn?: () => void;
}) {
  const needed = (agent?.protectedResources ?? []).filter(({ required }) => required !== false);
  if (needed.length > 0)
    return needed.map((resource) => (
      <SignInButton key={resource.resource} link={link} resource={resource} onDone={onSignedIn} />
    ));
  return (
    <Link
      to="/settings/{-$section}"
      params={{ section: 'agents' }}
      search={{ host: hostParam(link) }}
      className="inline-flex h-8 shrink-0 items-center rounded-lg bg-accent px-2.5 text-sm font-medium text-on-accent hover:opacity-90 touch:h-10"
    >
      {oauthText.openSettings}
    </Link>
  );
}
