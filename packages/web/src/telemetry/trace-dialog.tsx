import type { ChatHandle } from '@agenthost/client';
import { useMemo } from 'react';
import { useNow } from '../chat/use-now.ts';
import type { HostLink } from '../live/host-link.ts';
import { telemetryText } from '../text/telemetry-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { EmptyState, FailedState, Spinner } from '../ui/states.tsx';
import { isRunning, traceRows } from './trace-rows.ts';
import { TraceTable } from './trace-table.tsx';
import { type ShownTrace, useTurnTrace } from './use-turn-trace.ts';

interface TraceDialogProps {
  readonly link: HostLink;
  readonly chat: ChatHandle;
  readonly turnId: string;
  readonly onClose: () => void;
}

/** The trace of one turn. While the turn runs, the trace follows it. */
export function TraceDialog({ link, chat, turnId, onClose }: TraceDialogProps) {
  return (
    <Dialog
      isOpen
      size="large"
      onClose={onClose}
      title={telemetryText.title}
      description={telemetryText.explain}
    >
      <TraceContent link={link} chat={chat} turnId={turnId} />
    </Dialog>
  );
}

function TraceContent({ link, chat, turnId }: Omit<TraceDialogProps, 'onClose'>) {
  const trace = useTurnTrace(link, chat, turnId);
  switch (trace.state) {
    case 'reading':
      return (
        <p className="flex justify-center py-12">
          <Spinner label={telemetryText.reading} />
        </p>
      );
    case 'none':
      return <EmptyState title={telemetryText.none}>{telemetryText.noneText}</EmptyState>;
    case 'failed':
      return <FailedState title={telemetryText.failed} reason={trace.reason} onRetry={trace.retry} />;
    case 'shown':
      return <RunningTrace trace={trace} />;
    default:
      return trace satisfies never;
  }
}

/** Open steps grow with the clock of this browser between two readings. */
function RunningTrace({ trace: { waterfall, readAt } }: { readonly trace: ShownTrace }) {
  const isOpen = isRunning(waterfall);
  const now = useNow(isOpen);
  const grownMs = isOpen ? Math.max(0, now - readAt) : 0;
  const trace = useMemo(() => traceRows(waterfall, grownMs), [waterfall, grownMs]);
  return <TraceTable {...trace} />;
}
