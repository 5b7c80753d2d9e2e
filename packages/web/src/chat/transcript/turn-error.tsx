import { type ErrorResponsePart, resumableTurn } from '@agenthost/protocol';
import { CircleAlert } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { useTurnActions } from '../actions/use-turn-actions.tsx';
import { useChatScope } from '../chat-scope.tsx';
import { reporting } from '../report-outcome.ts';

const AgentSignIn = lazy(async () => ({
  default: (await import('../../oauth/agent-sign-in.tsx')).AgentSignIn,
}));

/** The error that ended a turn, with advice and buttons. */
export function TurnError({ turnId, part }: { readonly turnId: string; readonly part: ErrorResponsePart }) {
  const { link, agent, chat, mayAct, isNested } = useChatScope();
  const { resend } = useTurnActions(turnId);
  const isLast = useSelected(
    chat.mirror,
    ({ turns, activeTurn }) => activeTurn === undefined && turns.at(-1)?.id === turnId,
  );
  const isResumable = useSelected(chat.mirror, (state) => resumableTurn(state)?.id === turnId);
  const mayResume = mayAct && isLast && !isNested && isResumable;
  return (
    <div
      role="group"
      className="my-1.5 rounded-xl border border-danger/50 bg-danger-soft px-3.5 py-3 text-sm"
    >
      <p className="flex items-start gap-2">
        <CircleAlert className="mt-0.5 size-4 shrink-0 text-danger" aria-hidden />
        <span dir="auto" className="min-w-0 font-medium break-words">
          {visibleText(part.error.message)}
        </span>
      </p>
      <p className="ms-6 mt-1 text-muted">{helpFor(part.error.errorType, mayResume)}</p>
      {mayAct && isLast && !isNested && (
        <div className="ms-6 mt-2.5 flex flex-wrap gap-2">
          {mayResume && (
            <Button
              size="small"
              look="primary"
              onClick={() => void reporting(text.chat.resume, () => chat.resumeTurn(turnId))}
            >
              {text.chat.resume}
            </Button>
          )}
          {part.error.errorType === 'authRequired' && (
            <Suspense>
              <AgentSignIn link={link} agent={agent} />
            </Suspense>
          )}
          <Button size="small" onClick={resend}>
            {text.chat.sendAgain}
          </Button>
        </div>
      )}
    </div>
  );
}

function helpFor(errorType: string, mayResume: boolean): string {
  const { errorHelp } = text.chat;
  if (/auth/i.test(errorType)) return errorHelp.authRequired;
  if (/rate|quota|limit/i.test(errorType)) return errorHelp.rateLimited;
  if (/restart|interrupt/i.test(errorType))
    return mayResume ? `${errorHelp.hostRestarted} ${errorHelp.resume}` : errorHelp.hostRestarted;
  return errorHelp.other;
}
