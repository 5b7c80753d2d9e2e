import type { ToolCallState } from '@agenthost/protocol';
import { lazy, memo, type ReactNode, Suspense } from 'react';
import { viewOf } from '../../mcp-apps/view-of.ts';
import { ApprovalPanel } from '../../questions/approval-panel.tsx';
import { SignInPanel } from '../../questions/sign-in-panel.tsx';
import { classes } from '../../ui/class-names.ts';
import { useChatScope } from '../chat-scope.tsx';
import { useRemembered } from '../use-remembered.ts';
import { WorkerCard } from '../worker/worker-card.tsx';
import { CallNotes } from './call-notes.tsx';
import { CallState } from './call-state.tsx';
import { callTitle } from './call-text.ts';
import { cardKindOf } from './card-kind.ts';
import { CardShell } from './card-shell.tsx';
import { CARDS } from './cards.tsx';

const McpView = lazy(async () => ({ default: (await import('../../mcp-apps/mcp-view.tsx')).McpView }));

interface ToolCardProps {
  readonly toolCall: ToolCallState;
  readonly turnId: string;
}

const isPending = (toolCall: ToolCallState): boolean =>
  toolCall.status === 'pending-confirmation' ||
  toolCall.status === 'pending-result-confirmation' ||
  toolCall.status === 'auth-required';

/** The card of a tool call. How its kind looks is in `CARDS`. */
export const ToolCard = memo(function ToolCard({ toolCall, turnId }: ToolCardProps) {
  const kind = cardKindOf(toolCall);
  if (kind === 'worker') return <WorkerCard toolCall={toolCall} turnId={turnId} />;
  return <PlainCard toolCall={toolCall} turnId={turnId} kind={kind} />;
});

function PlainCard({
  toolCall,
  turnId,
  kind,
}: ToolCardProps & { readonly kind: Exclude<ReturnType<typeof cardKindOf>, 'worker'> }) {
  const { icon: Icon, Title, Facts, Body, isOpenAtFirst } = CARDS[kind];
  const [isOpen, setOpen] = useRemembered(toolCall.toolCallId, isOpenAtFirst?.(toolCall) ?? false);
  const { mayAct } = useChatScope();
  const hasPanel = isPending(toolCall);
  // The question repeats the card's line, which is needed only to say whose tool it is.
  if (hasPanel && kind !== 'client' && kind !== 'mcp')
    return (
      <div className="my-1 overflow-hidden rounded-xl border border-accent bg-surface">
        <Question toolCall={toolCall} turnId={turnId} />
      </div>
    );
  return (
    <CardShell
      icon={<Icon className={classes('size-4', hasPanel && 'text-accent')} aria-hidden />}
      title={Title === undefined ? callTitle(toolCall) : <Title toolCall={toolCall} />}
      tooltip={callTitle(toolCall)}
      facts={Facts === undefined ? undefined : <Facts toolCall={toolCall} />}
      // A check mark beside "2 of 4" would say that the plan is done.
      state={
        kind === 'plan' && toolCall.status === 'completed' ? undefined : <CallState toolCall={toolCall} />
      }
      isOpen={isOpen}
      onToggle={setOpen}
      isWaiting={hasPanel}
      always={hasPanel ? <Question toolCall={toolCall} turnId={turnId} /> : viewOfCall(toolCall, mayAct)}
    >
      <CallNotes toolCall={toolCall} />
      <Body toolCall={toolCall} />
    </CardShell>
  );
}

/** The view that an MCP server has for a call. Only clients that may act reach the server. */
function viewOfCall(toolCall: ToolCallState, mayAct: boolean): ReactNode {
  const view = mayAct ? viewOf(toolCall) : undefined;
  if (view === undefined) return undefined;
  return (
    <Suspense fallback={null}>
      <McpView toolCall={toolCall} view={view} />
    </Suspense>
  );
}

function Question({ toolCall, turnId }: ToolCardProps) {
  const { link, target, mayAct } = useChatScope();
  if (toolCall.status === 'auth-required')
    return (
      <SignInPanel link={link} target={target} toolCall={toolCall} turnId={turnId} mayAct={mayAct} isNested />
    );
  if (toolCall.status !== 'pending-confirmation' && toolCall.status !== 'pending-result-confirmation')
    return undefined;
  return (
    <ApprovalPanel link={link} target={target} toolCall={toolCall} turnId={turnId} mayAct={mayAct} isNested />
  );
}
