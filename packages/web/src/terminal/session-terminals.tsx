import type { RootState, TerminalInfo, URI } from '@agenthost/protocol';
import { Plus, X } from 'lucide-react';
import { useCallback, useRef, useState } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { useRootPart } from '../live/use-live.ts';
import { useMayAct } from '../live/use-scope.ts';
import { text } from '../text/text.ts';
import { IconButton } from '../ui/button.tsx';
import { NewTerminalDialog } from './new-terminal-dialog.tsx';
import { TerminalScreen } from './terminal-screen.tsx';
import { TerminalTabs } from './terminal-tabs.tsx';

const NONE: readonly TerminalInfo[] = [];

/**
 * The terminals of a session in the host's order: those that it holds, and those in `kept`, which it held before and somebody took. The same array
 * until something changes.
 */
export function useTerminalsOf(
  link: HostLink,
  session: URI,
  kept: ReadonlySet<URI> = NO_URIS,
): readonly TerminalInfo[] {
  const last = useRef(NONE);
  const select = useCallback(
    ({ terminals = [] }: RootState): readonly TerminalInfo[] => {
      const found = terminals.filter(
        ({ claim, resource }) =>
          kept.has(resource) || (claim.kind === 'session' && claim.session === session),
      );
      const isSame =
        found.length === last.current.length && found.every((each, index) => each === last.current[index]);
      if (!isSame) last.current = found;
      return last.current;
    },
    [session, kept],
  );
  return useRootPart(link, select, NONE);
}

const NO_URIS: ReadonlySet<URI> = new Set();

/** The terminals of one session, as tabs with a screen. Fills its parent. */
export function SessionTerminals({
  link,
  session,
  folder,
  onClose,
}: {
  readonly link: HostLink;
  readonly session: URI;
  /** Folder for new terminals. */
  readonly folder?: URI | undefined;
  /** Hides the panel. */
  readonly onClose?: (() => void) | undefined;
}) {
  const mayAct = useMayAct(link);
  // A terminal that somebody takes over or opens here stays in the panel.
  const [kept, setKept] = useState<ReadonlySet<URI>>(NO_URIS);
  const terminals = useTerminalsOf(link, session, kept);
  const [chosen, setChosen] = useState<URI>();
  // The terminal that was opened here gets the focus.
  const [opened, setOpened] = useState<URI>();
  const [isCreating, setIsCreating] = useState(false);
  const selected =
    terminals.find(({ resource }) => resource === chosen)?.resource ?? terminals.at(-1)?.resource;
  const keep = (uri: URI): void => setKept((before) => new Set(before).add(uri));
  if (selected !== undefined && !kept.has(selected)) keep(selected);
  return (
    <section aria-label={text.terminal.sessionTerminals} className="flex h-full min-h-0 flex-1 flex-col">
      <header className="flex items-center gap-1 border-b border-line bg-canvas pe-2">
        <TerminalTabs terminals={terminals} selected={selected} onSelect={setChosen} />
        {mayAct && (
          <IconButton size="small" label={text.terminal.newTerminal} onClick={() => setIsCreating(true)}>
            <Plus className="size-4" aria-hidden />
          </IconButton>
        )}
        {onClose !== undefined && (
          <IconButton size="small" label={text.terminal.hideTerminals} onClick={onClose}>
            <X className="size-4" aria-hidden />
          </IconButton>
        )}
      </header>
      {selected === undefined ? (
        <p className="p-4 text-sm text-muted">{text.terminal.noSessionTerminals}</p>
      ) : (
        <TerminalScreen
          key={selected}
          link={link}
          uri={selected}
          className="flex-1"
          autoFocus={selected === opened}
          isInSession
          onReplaced={(uri) => {
            keep(uri);
            setChosen(uri);
          }}
          onClosed={() => setChosen(undefined)}
        />
      )}
      {isCreating && (
        <NewTerminalDialog
          link={link}
          folder={folder}
          onClose={() => setIsCreating(false)}
          onOpened={(uri) => {
            setIsCreating(false);
            keep(uri);
            setChosen(uri);
            setOpened(uri);
          }}
        />
      )}
    </section>
  );
}
