import { ChartGantt } from 'lucide-react';
import { useChatScope } from '../chat/chat-scope.tsx';
import { telemetryText } from '../text/telemetry-text.ts';
import { IconButton } from '../ui/button.tsx';

/** The button at the end of a turn that opens its trace. Nothing for the turn of a worker, and for a host that offers no traces. */
export function TraceButton({ onOpen }: { readonly onOpen: () => void }) {
  const { link, isNested } = useChatScope();
  if (isNested || link.client?.host?.telemetry?.traces === undefined) return undefined;
  return (
    <IconButton size="small" label={telemetryText.show} onClick={onOpen}>
      <ChartGantt className="size-3.5" aria-hidden />
    </IconButton>
  );
}
