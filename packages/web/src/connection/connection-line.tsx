import { useEffect, useState } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { useLinkStatus } from '../live/use-hosts.ts';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';

/** Shorter interruptions are not shown while the device has a network. Milliseconds. */
const PATIENCE_MS = 1_200;

/** One calm line while a host that was online does not answer. */
export function ConnectionLine({ link }: { readonly link: HostLink }) {
  const status = useLinkStatus(link);
  const isAway = status.state === 'away' && link.client !== undefined;
  // Read again with each change of the status.
  const isOffline = !navigator.onLine;
  const isShown = useDelayed(isAway, isOffline ? 0 : PATIENCE_MS);
  if (status.state === 'replaced')
    return (
      <Line>
        <span>{text.connection.replaced}</span>
        <Button size="small" onClick={() => link.retryNow()}>
          {text.connection.useHere}
        </Button>
      </Line>
    );
  if (!isShown || status.state !== 'away') return undefined;
  const sentence = link.isCopy ? text.connection.copy : text.connection.away;
  return (
    <Line>
      <span className="min-w-0 grow basis-64">{sentence(link.address.name, isOffline)}</span>
      <Countdown to={status.retryAt} />
      <Button size="small" look="ghost" onClick={() => link.retryNow()}>
        {text.connection.retryNow}
      </Button>
    </Line>
  );
}

function Line({ children }: { readonly children: React.ReactNode }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 border-b border-line bg-warn-soft px-4 py-1 text-sm text-warn"
    >
      {children}
    </div>
  );
}

function Countdown({ to }: { readonly to: number | undefined }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  if (to === undefined || to <= now) return undefined;
  return (
    <span className="tabular-nums" aria-hidden>
      {text.connection.retryIn(Math.ceil((to - now) / 1_000))}
    </span>
  );
}

/** True once `value` has been true for some time. */
function useDelayed(value: boolean, delayMs: number): boolean {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    if (!value) return undefined;
    const timer = setTimeout(() => setDue(true), delayMs);
    return () => {
      clearTimeout(timer);
      setDue(false);
    };
  }, [value, delayMs]);
  return value && isDue;
}
