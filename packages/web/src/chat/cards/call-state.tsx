import type { ToolCallState } from '@agenthost/protocol';
import { Ban, Check, CircleDot, KeyRound, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { durationText } from '../../text/format.ts';
import { text } from '../../text/text.ts';
import { Spinner } from '../../ui/states.tsx';
import { useNow } from '../use-now.ts';

const LABEL = 'flex shrink-0 items-center gap-1.5 text-xs';

/** The state of a tool call at the end of its card's line. */
export function CallState({ toolCall }: { readonly toolCall: ToolCallState }) {
  switch (toolCall.status) {
    case 'streaming':
      return (
        <span className={`${LABEL} text-muted`}>
          <Spinner label={text.chat.preparing} className="size-3.5" />
        </span>
      );
    case 'running':
      return (
        <span className={`${LABEL} text-muted`}>
          <RunningTime />
          <Spinner label={text.chat.running} className="size-3.5" />
        </span>
      );
    case 'pending-confirmation':
    case 'pending-result-confirmation':
      return (
        <span className={`${LABEL} font-medium text-accent`}>
          <CircleDot className="size-3.5" aria-hidden />
          {text.chat.waitsForYou}
        </span>
      );
    case 'auth-required':
      return (
        <span className={`${LABEL} text-warn`}>
          <KeyRound className="size-3.5" aria-hidden />
          {text.chat.signInNeeded}
        </span>
      );
    case 'completed':
      return toolCall.success ? (
        <span className={`${LABEL} text-ok`}>
          <Check className="size-3.5" aria-hidden />
          <span className="sr-only">{text.chat.done}</span>
        </span>
      ) : (
        <span className={`${LABEL} text-danger`}>
          <X className="size-3.5" aria-hidden />
          {text.chat.failed}
        </span>
      );
    case 'cancelled':
      return (
        <span className={`${LABEL} text-muted`}>
          <Ban className="size-3.5" aria-hidden />
          {
            {
              denied: text.chat.denied,
              skipped: text.chat.cancelled,
              'result-denied': text.chat.resultDenied,
            }[toolCall.reason]
          }
        </span>
      );
    default:
      return toolCall satisfies never;
  }
}

/** Shorter times are not shown. */
const SHOWN_AFTER_MS = 2_000;

/** The time since the call was first seen running. */
function RunningTime() {
  const [since] = useState(() => Date.now());
  const now = useNow(true);
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isLong || now - since < SHOWN_AFTER_MS) return undefined;
  return (
    <span className="tabular-nums" aria-hidden>
      {durationText(Math.floor((now - since) / 1_000) * 1_000)}
    </span>
  );
}
