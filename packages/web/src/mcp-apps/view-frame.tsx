import type { ToolCallState } from '@agenthost/protocol';
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { mcpText } from '../text/mcp-text.ts';
import { Button } from '../ui/button.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { LiveView, type LiveViewParts, type ShownView } from './live-view.ts';
import { ViewQuestion } from './view-question.tsx';

interface ViewFrameProps extends Omit<LiveViewParts, 'toolCallId'> {
  readonly toolCall: ToolCallState;
}

const LOADING: ShownView = { phase: 'loading', domains: [] };
const NO_STOP = (): void => undefined;

/** The place of a view, with its questions. */
export function ViewFrame({ toolCall, ...parts }: ViewFrameProps) {
  const { client, channel, uri, chat } = parts;
  const { toolCallId } = toolCall;
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<LiveView>();
  const [start, setStart] = useState(0);
  // The cleanup of a layout effect comes before the place leaves the page.
  useLayoutEffect(() => {
    if (place.current === null) return undefined;
    const made = new LiveView({ ...parts, toolCallId }, place.current);
    setView(made);
    return () => made.dispose();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the view keeps what it was told at its start
  }, [client, channel, uri, chat, toolCallId, start]);
  useEffect(() => view?.setCall(toolCall), [view, toolCall]);
  const { phase, failure, wish, domains } = useSyncExternalStore(
    view?.onChange ?? noChange,
    () => view?.shown ?? LOADING,
  );
  return (
    <>
      {wish !== undefined && <ViewQuestion wish={wish} onAnswer={(answer) => view?.answer(answer)} />}
      {phase === 'loading' && <p className="px-3 py-2 text-sm text-muted">{mcpText.viewLoading}</p>}
      {phase === 'ended' && (
        <p className="flex flex-wrap items-center gap-3 px-3 py-2 text-sm text-muted">
          {mcpText.viewEnded}
          <Button size="small" onClick={() => setStart(start + 1)}>
            {mcpText.viewAgain}
          </Button>
        </p>
      )}
      {failure !== undefined && (
        <p className="px-3 py-2 text-sm text-danger">
          <SafeText>{failure}</SafeText>
        </p>
      )}
      <div ref={place} />
      {phase === 'shown' && domains.length > 0 && (
        <p className="border-t border-line px-3 py-1.5 text-xs text-muted wrap-anywhere">
          {mcpText.viewReaches(domains.join(', '))}
        </p>
      )}
    </>
  );
}

const noChange = () => NO_STOP;
