import type { AgentInfo } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { OWN_HOST } from '../live/hosts.ts';
import { useLink, useLinkStatus } from '../live/use-hosts.ts';
import { useRootPart } from '../live/use-live.ts';
import { useMayAct } from '../live/use-scope.ts';
import { text } from '../text/text.ts';
import { EmptyState } from '../ui/states.tsx';

const PRIMARY =
  'inline-flex h-9 items-center justify-center rounded-lg bg-accent px-3.5 text-sm font-medium text-on-accent hover:opacity-90 touch:h-11';

/** What to do when there is no session. */
export function BoardEmpty({
  isCompact,
  hasArchived,
}: {
  readonly isCompact: boolean;
  readonly hasArchived: boolean;
}) {
  const own = useLink(OWN_HOST);
  const { state } = useLinkStatus(own);
  const mayAct = useMayAct(own);
  const agentCount = useRootPart(own, ({ agents }) => agents.length, undefined);
  const hasOnlyDemo = useRootPart(own, ({ agents }) => agents.every(isDemo), false);
  if (isCompact) return <p className="px-4 py-6 text-center text-sm text-muted">{text.board.emptyTitle}</p>;
  if (state !== 'online')
    return <EmptyState title={text.board.emptyTitle}>{text.board.emptyAway}</EmptyState>;
  if (agentCount === 0)
    return (
      <EmptyState
        title={text.board.noAgentsTitle}
        action={
          <Link to="/settings/{-$section}" params={{ section: 'agents' }} className={PRIMARY}>
            {text.board.showAgents}
          </Link>
        }
      >
        {text.board.noAgents}
      </EmptyState>
    );
  if (!mayAct) return <EmptyState title={text.board.emptyTitle}>{text.board.observeEmpty}</EmptyState>;
  return (
    <div className="overflow-y-auto">
      <EmptyState
        icon={<MessagesSquare className="size-8" aria-hidden />}
        title={text.board.emptyTitle}
        action={
          <Link to="/new" className={PRIMARY}>
            {text.board.newSession}
          </Link>
        }
      >
        {text.board.empty}
      </EmptyState>
      {!hasArchived && (
        <Examples prompts={hasOnlyDemo ? text.board.demoPrompts : text.board.examplePrompts} />
      )}
    </div>
  );
}

/** Agents follow a message; the demo agent follows commands. */
const isDemo = ({ provider }: AgentInfo): boolean => provider === 'demo';

function Examples({ prompts }: { readonly prompts: readonly string[] }) {
  return (
    <section aria-label={text.board.examples} className="mx-auto flex max-w-md flex-col gap-2 px-6 pb-8">
      <h3 className="text-center text-xs text-muted">{text.board.examples}</h3>
      {prompts.map((prompt) => (
        <Link
          key={prompt}
          to="/new"
          search={{ message: prompt }}
          className="rounded-xl border border-line px-4 py-3 text-sm hover:border-line-strong hover:bg-hover"
        >
          {prompt}
        </Link>
      ))}
    </section>
  );
}
