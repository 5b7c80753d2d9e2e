import type { SessionHandle } from '@agenthost/client';
import type { ChatState, UsageInfo } from '@agenthost/protocol';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { usageFacts } from '../transcript/usage-facts.ts';

/** The usage of the running turn, else that of the last turn that reported some. */
const latestUsage = ({ activeTurn, turns }: ChatState): UsageInfo | undefined =>
  activeTurn?.usage ?? turns.findLast(({ usage }) => usage !== undefined)?.usage;

/** Model, context and cost of a session, as its main chat reported them last. */
export function SessionUsage({ session }: { readonly session: SessionHandle }) {
  const usage = useSelected(session.chat.mirror, latestUsage);
  const facts = usageFacts(usage, text.chat.usageOfTurn);
  if (facts.length === 0) return undefined;
  return (
    <>
      <span className="sr-only">{text.chat.usage}</span>
      {facts.map(({ label, title }) => (
        <span key={label} title={title} className="min-w-0 truncate tabular-nums max-sm:hidden">
          {label}
        </span>
      ))}
    </>
  );
}
