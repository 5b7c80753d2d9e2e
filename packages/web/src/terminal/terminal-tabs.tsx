import type { TerminalInfo, URI } from '@agenthost/protocol';
import { Bot, CircleCheck, CircleX, Terminal } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { classes } from '../ui/class-names.ts';
import { SafeText } from '../ui/safe-text.tsx';

/** Tabs of terminals. Left and right arrow keys move between them. */
export function TerminalTabs({
  terminals,
  selected,
  onSelect,
}: {
  readonly terminals: readonly TerminalInfo[];
  readonly selected: URI | undefined;
  readonly onSelect: (uri: URI) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current
      ?.querySelector('[aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [selected]);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const direction = getComputedStyle(event.currentTarget).direction === 'rtl' ? -step : step;
    const at = terminals.findIndex(({ resource }) => resource === selected);
    const next = terminals[(at + direction + terminals.length) % terminals.length];
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next.resource);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[terminals.indexOf(next)]?.focus();
  };
  return (
    <div
      ref={list}
      role="tablist"
      aria-label={text.terminal.tabs}
      onKeyDown={move}
      className="flex min-w-0 flex-1 gap-1 overflow-x-auto p-1 [scrollbar-width:none]"
    >
      {terminals.map((terminal, index) => {
        const isSelected = terminal.resource === selected;
        const label = `${visibleText(terminal.title)}, ${stateOf(terminal)}`;
        return (
          <button
            key={terminal.resource}
            type="button"
            role="tab"
            aria-selected={isSelected}
            title={index < 9 ? `${label} (Alt+${index + 1})` : label}
            tabIndex={isSelected || (selected === undefined && index === 0) ? 0 : -1}
            onClick={() => onSelect(terminal.resource)}
            className={classes(
              'flex h-8 max-w-52 shrink-0 items-center gap-2 rounded-lg px-2.5 text-sm touch:h-11',
              isSelected ? 'bg-hover text-text' : 'text-muted hover:bg-hover hover:text-text',
            )}
          >
            <TabIcon terminal={terminal} />
            <SafeText className="min-w-0 truncate">{terminal.title}</SafeText>
            {terminal.lifecycle.status === 'exited' && (
              <span className="shrink-0 text-xs text-faint" aria-hidden>
                {terminal.lifecycle.exitCode ?? '?'}
              </span>
            )}
            <span className="sr-only">{stateOf(terminal)}</span>
          </button>
        );
      })}
    </div>
  );
}

function TabIcon({ terminal: { lifecycle, claim } }: { readonly terminal: TerminalInfo }) {
  if (lifecycle.status === 'exited') {
    return lifecycle.exitCode === 0 ? (
      <CircleCheck className="size-3.5 shrink-0 text-ok" aria-hidden />
    ) : (
      <CircleX className="size-3.5 shrink-0 text-danger" aria-hidden />
    );
  }
  const Icon = claim.kind === 'session' ? Bot : Terminal;
  return <Icon className="size-3.5 shrink-0 text-accent" aria-hidden />;
}

function stateOf({ lifecycle, claim }: TerminalInfo): string {
  const state =
    lifecycle.status === 'exited' ? text.terminal.exitedShort(lifecycle.exitCode) : text.terminal.running;
  return claim.kind === 'session' ? `${state}, ${text.terminal.agentTerminal}` : state;
}
