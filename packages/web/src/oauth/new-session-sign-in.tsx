import type { AgentInfo } from '@agenthost/protocol';
import type { HostLink } from '../live/host-link.ts';
import { oauthText } from '../text/oauth-text.ts';
import { AgentSignIn } from './agent-sign-in.tsx';

/** On a phone the sign-in is below the visible part of the form. */
const show = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'center' });

/** Says that the agent of a new session needs a sign-in first, with the way to it. */
export function NewSessionSignIn({
  link,
  agent,
  onSignedIn,
}: {
  readonly link: HostLink;
  readonly agent: AgentInfo | undefined;
  readonly onSignedIn: () => void;
}) {
  return (
    <div
      ref={show}
      role="alert"
      className="flex flex-wrap items-center justify-between gap-3 rounded-xl border border-line bg-warn-soft px-4 py-2.5 text-sm"
    >
      <p className="min-w-0 flex-1 basis-48">{oauthText.agentNeeds}</p>
      <div className="flex flex-wrap gap-2">
        <AgentSignIn link={link} agent={agent} onSignedIn={onSignedIn} />
      </div>
    </div>
  );
}
