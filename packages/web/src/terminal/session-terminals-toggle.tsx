import type { URI } from '@agenthost/protocol';
import { SquareTerminal } from 'lucide-react';
import type { HostLink } from '../live/host-link.ts';
import { text } from '../text/text.ts';
import { IconButton } from '../ui/button.tsx';
import { useTerminalsOf } from './session-terminals.tsx';

/** A button for the header of a session: shows or hides its terminals, and tells how many run. */
export function SessionTerminalsToggle({
  link,
  session,
  isShown,
  onChange,
}: {
  readonly link: HostLink;
  readonly session: URI;
  readonly isShown: boolean;
  readonly onChange: (isShown: boolean) => void;
}) {
  const running = useTerminalsOf(link, session).filter(({ lifecycle }) => lifecycle.status === 'running');
  const label = isShown ? text.terminal.hideTerminals : text.terminal.showTerminals(running.length);
  return (
    <IconButton label={label} aria-expanded={isShown} className="relative" onClick={() => onChange(!isShown)}>
      <SquareTerminal className="size-4" aria-hidden />
      {running.length > 0 && (
        <span
          aria-hidden
          className="absolute end-0.5 top-0.5 min-w-4 rounded-full bg-accent px-1 text-center text-[0.625rem] leading-4 text-on-accent"
        >
          {running.length}
        </span>
      )}
    </IconButton>
  );
}
