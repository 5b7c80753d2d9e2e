import type { RootState, TerminalInfo, URI } from '@agenthost/protocol';
import { getRouteApi } from '@tanstack/react-router';
import { Columns2, Plus, Square, SquareTerminal } from 'lucide-react';
import { useEffect, useState } from 'react';
import { usePageTitle } from '../attention/page-title.ts';
import { messageOf } from '../live/host-link.ts';
import { OWN_HOST } from '../live/hosts.ts';
import { useLink, useLinks } from '../live/use-hosts.ts';
import { useRoot, useRootPart } from '../live/use-live.ts';
import { useMayAct } from '../live/use-scope.ts';
import { text } from '../text/text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { EmptyState, FailedState, Spinner } from '../ui/states.tsx';
import { NewTerminalDialog } from './new-terminal-dialog.tsx';
import { TerminalScreen } from './terminal-screen.tsx';
import { TerminalTabs } from './terminal-tabs.tsx';
import { terminalsCommand } from './terminals-keys.ts';

const NONE: readonly TerminalInfo[] = [];
const terminalsOf = ({ terminals }: RootState): readonly TerminalInfo[] => terminals ?? NONE;

const route = getRouteApi('/terminals');

/** All terminals of a host, as tabs. */
export function TerminalsView() {
  usePageTitle(text.app.terminals);
  const { host, open } = route.useSearch();
  const navigate = route.useNavigate();
  const links = useLinks();
  const link = useLink(host);
  const mayAct = useMayAct(link);
  const root = useRoot(link);
  const terminals = useRootPart(link, terminalsOf, NONE);
  const [isCreating, setIsCreating] = useState(false);
  const [beside, setBeside] = useState<URI>();
  // A terminal that was opened a moment ago may not be in the list yet.
  const selected = open ?? terminals[0]?.resource;
  const second = beside !== undefined && beside !== selected ? beside : undefined;

  const select = (uri: URI | undefined): void =>
    void navigate({ search: (before) => ({ ...before, open: uri }), replace: true });

  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const command = terminalsCommand(event);
      if (command === undefined) return;
      if (command === 'new') {
        if (!mayAct) return;
        event.preventDefault();
        return setIsCreating(true);
      }
      const chosen = terminals[command];
      if (chosen === undefined) return;
      event.preventDefault();
      select(chosen.resource);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  });

  const afterClosed = (closed: URI): void => {
    if (closed === beside) return setBeside(undefined);
    const rest = terminals.filter(({ resource }) => resource !== closed);
    select(rest.at(Math.max(0, terminals.findIndex(({ resource }) => resource === closed) - 1))?.resource);
  };
  const other = terminals.find(({ resource }) => resource !== selected);

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <h1 className="sr-only">{text.terminal.title}</h1>
      <header className="flex items-center gap-1 border-b border-line bg-canvas pe-2">
        {links.length > 1 && (
          <Select
            aria-label={text.terminal.host}
            className="ms-1 w-auto max-w-40"
            value={link.address.id}
            onChange={({ target }) =>
              void navigate({ search: { host: target.value === OWN_HOST ? undefined : target.value } })
            }
          >
            {links.map(({ address }) => (
              <option key={address.id} value={address.id}>
                {address.name}
              </option>
            ))}
          </Select>
        )}
        <TerminalTabs terminals={terminals} selected={selected} onSelect={select} />
        {other !== undefined && (
          <IconButton
            size="small"
            className="max-lg:hidden"
            label={second === undefined ? text.terminal.split : text.terminal.unsplit}
            onClick={() => setBeside(second === undefined ? other.resource : undefined)}
          >
            {second === undefined ? (
              <Columns2 className="size-4" aria-hidden />
            ) : (
              <Square className="size-4" aria-hidden />
            )}
          </IconButton>
        )}
        {mayAct && (
          <IconButton size="small" label={text.terminal.newTerminal} onClick={() => setIsCreating(true)}>
            <Plus className="size-4" aria-hidden />
          </IconButton>
        )}
      </header>
      <div className="flex min-h-0 flex-1">
        {selected !== undefined && (
          <TerminalScreen
            key={selected}
            link={link}
            uri={selected}
            className="flex-1"
            autoFocus
            onReplaced={select}
            onClosed={() => afterClosed(selected)}
          />
        )}
        {second !== undefined && selected !== undefined && (
          <TerminalScreen
            key={second}
            link={link}
            uri={second}
            className="flex-1 border-s border-line max-lg:hidden"
            onReplaced={setBeside}
            onClosed={() => setBeside(undefined)}
          />
        )}
        {selected === undefined && root.state === 'opening' && (
          <div className="flex flex-1 justify-center p-8">
            <Spinner />
          </div>
        )}
        {selected === undefined && root.state === 'failed' && (
          <FailedState
            title={text.terminal.failedTitle}
            reason={messageOf(root.error)}
            onRetry={root.retry}
          />
        )}
        {selected === undefined && root.state === 'open' && (
          <EmptyState
            icon={<SquareTerminal className="size-8" aria-hidden />}
            title={text.terminal.emptyTitle}
            action={
              mayAct && (
                <Button look="primary" onClick={() => setIsCreating(true)}>
                  {text.terminal.newTerminal}
                </Button>
              )
            }
          >
            {text.terminal.empty}
          </EmptyState>
        )}
      </div>
      {isCreating && (
        <NewTerminalDialog
          link={link}
          onClose={() => setIsCreating(false)}
          onOpened={(uri) => {
            setIsCreating(false);
            select(uri);
          }}
        />
      )}
    </div>
  );
}
