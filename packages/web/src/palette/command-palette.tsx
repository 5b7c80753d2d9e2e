import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Dialog as Radix } from 'radix-ui';
import { useMemo, useState } from 'react';
import { useAllSessions } from '../board/all-sessions.ts';
import { type BoardSession, hostParam } from '../board/board-session.ts';
import { matchesWords, wordsOf } from '../board/filter-sessions.ts';
import { projectName } from '../board/folder-name.ts';
import { titleOf } from '../board/session-actions.ts';
import { signOf } from '../board/session-need.ts';
import { StatusIcon } from '../board/status-icon.tsx';
import type { HostLink } from '../live/host-link.ts';
import { useLinks } from '../live/use-hosts.ts';
import { SECTIONS, sectionName } from '../settings/sections.ts';
import { text } from '../text/text.ts';
import { themeSetting } from '../theme/theme.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { shownKeys, useActions } from './actions.ts';
import { closePalette } from './open-palette.ts';
import { Group, Item } from './palette-items.tsx';
import { TerminalItems } from './terminal-items.tsx';

/** Sessions that the palette shows at once. */
const MOST_SESSIONS = 12;

/** Sessions that the palette shows before a word is typed. */
const RECENT_SESSIONS = 6;

/** A line of the palette. */
interface Entry {
  readonly id: string;
  readonly label: string;
  readonly keys?: string;
  readonly run: () => void;
}

/** Goes to sessions, terminals and views, and runs the commands of the present view. */
export function CommandPalette() {
  const [query, setQuery] = useState('');
  // Not deferred: the library selects the first entry in the render in which the query changes.
  const words = useMemo(() => wordsOf(query), [query]);
  const sessions = useMatchingSessions(words);
  const links = useLinks();
  const entries = useEntries();
  const navigate = useNavigate();
  const fits = ({ label }: Entry): boolean => words.every((word) => label.toLowerCase().includes(word));
  const run = (action: () => void): void => {
    closePalette();
    // The dialog gives the focus back first.
    requestAnimationFrame(action);
  };
  const open = ({ link, summary }: BoardSession): void =>
    run(
      () =>
        void navigate({
          to: '/s/$session',
          params: { session: summary.resource },
          search: { host: hostParam(link) },
        }),
    );
  const openTerminal = (link: HostLink, open: string): void =>
    run(() => void navigate({ to: '/terminals', search: { host: hostParam(link), open } }));
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && closePalette()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed inset-x-3 top-[max(0.75rem,env(safe-area-inset-top))] z-50 mx-auto max-w-xl overflow-hidden rounded-2xl border border-line bg-raised shadow-2xl sm:top-[12vh]"
        >
          <Radix.Title className="sr-only">{text.palette.title}</Radix.Title>
          <Command shouldFilter={false} loop label={text.palette.title}>
            <Command.Input
              value={query}
              onValueChange={setQuery}
              placeholder={text.palette.placeholder}
              className="h-12 w-full border-b border-line bg-transparent px-4 text-sm outline-none placeholder:text-faint touch:text-base"
            />
            <Command.List className="max-h-[min(60vh,26rem)] overflow-y-auto overscroll-contain p-1.5">
              <Command.Empty className="px-3 py-6 text-center text-sm text-muted">
                {text.palette.nothing}
              </Command.Empty>
              <Group heading={text.palette.sessions}>
                {sessions.map((session) => (
                  <SessionItem key={session.key} session={session} onSelect={() => open(session)} />
                ))}
              </Group>
              {links.map((link) => (
                <TerminalItems
                  key={link.address.id}
                  link={link}
                  words={words}
                  onSelect={(terminal) => openTerminal(link, terminal)}
                />
              ))}
              <Group heading={text.palette.actions}>
                {entries.filter(fits).map((entry) => (
                  <Item key={entry.id} value={entry.id} onSelect={() => run(entry.run)}>
                    <span className="min-w-0 flex-1 truncate">{entry.label}</span>
                    {entry.keys !== undefined && (
                      <kbd className="font-sans text-xs text-faint">{shownKeys(entry.keys)}</kbd>
                    )}
                  </Item>
                ))}
              </Group>
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function useMatchingSessions(words: readonly string[]): readonly BoardSession[] {
  const { sessions } = useAllSessions();
  return useMemo(() => {
    const limit = words.length === 0 ? RECENT_SESSIONS : MOST_SESSIONS;
    const found: BoardSession[] = [];
    for (const session of sessions) {
      if (found.length === limit) break;
      if (matchesWords(session, words)) found.push(session);
    }
    return found;
  }, [sessions, words]);
}

/** Commands of the palette: those of the view, the views, the themes. */
function useEntries(): readonly Entry[] {
  const navigate = useNavigate();
  const actions = useActions();
  return [
    ...actions.filter(({ isKeyOnly }) => isKeyOnly !== true),
    { id: 'go board', label: text.palette.board, run: () => void navigate({ to: '/' }) },
    { id: 'go terminals', label: text.palette.terminals, run: () => void navigate({ to: '/terminals' }) },
    ...SECTIONS.map((section) => ({
      id: `go settings ${section}`,
      label: text.palette.settingsSection(sectionName(section)),
      run: () => void navigate({ to: '/settings/{-$section}', params: { section } }),
    })),
    { id: 'theme system', label: text.palette.themeSystem, run: () => themeSetting.set('system') },
    { id: 'theme light', label: text.palette.themeLight, run: () => themeSetting.set('light') },
    { id: 'theme dark', label: text.palette.themeDark, run: () => themeSetting.set('dark') },
  ];
}

function SessionItem({
  session,
  onSelect,
}: {
  readonly session: BoardSession;
  readonly onSelect: () => void;
}) {
  const project = projectName(session.summary);
  return (
    <Item value={session.key} onSelect={onSelect}>
      <StatusIcon sign={signOf(session.summary)} />
      <span className="min-w-0 flex-1 truncate">
        <SafeText>{titleOf(session)}</SafeText>
      </span>
      {project !== '' && (
        <span className="max-w-32 truncate text-xs text-faint">
          <SafeText>{project}</SafeText>
        </span>
      )}
    </Item>
  );
}
