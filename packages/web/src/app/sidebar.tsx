import { Link } from '@tanstack/react-router';
import { Command, PanelLeftClose, PanelLeftOpen, Settings, SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import { SidebarBoard } from '../board/sidebar-board.tsx';
import { useSetting } from '../live/setting.ts';
import { shownKeys } from '../palette/actions.ts';
import { showPalette } from '../palette/open-palette.ts';
import { text } from '../text/text.ts';
import { IconButton } from '../ui/button.tsx';
import { SidebarEdge } from './sidebar-edge.tsx';
import { sidebarSetting, toggleSidebar } from './sidebar-settings.ts';

const ENTRY =
  'flex h-9 items-center gap-2.5 rounded-lg px-2.5 text-sm text-muted hover:bg-hover hover:text-text data-[status=active]:bg-hover data-[status=active]:text-text';

const RAIL_ENTRY =
  'inline-flex size-9 items-center justify-center rounded-lg text-muted hover:bg-hover hover:text-text data-[status=active]:bg-hover data-[status=active]:text-text';

/** The column at the start of a wide screen: sessions, and links to terminals and settings. When closed, it shows icons only. */
export function Sidebar() {
  const [{ isOpen, widthPx }, setState] = useSetting(sidebarSetting);
  const [draggedPx, setDragged] = useState<number>();
  if (!isOpen) return <Rail />;
  return (
    <aside
      className="relative hidden shrink-0 flex-col border-e border-line bg-canvas md:flex"
      style={{ width: draggedPx ?? widthPx }}
      aria-label={text.app.sessions}
    >
      <div className="flex items-center gap-1 px-3 pt-2">
        <Link to="/" className="min-w-0 flex-1 truncate rounded-md px-1 text-sm font-semibold">
          {text.app.name}
        </Link>
        <PaletteButton />
        <IconButton
          size="small"
          label={`${text.app.closeSidebar} (${shownKeys('mod+b')})`}
          onClick={toggleSidebar}
        >
          <PanelLeftClose className="size-4 rtl:-scale-x-100" aria-hidden />
        </IconButton>
      </div>
      <SidebarBoard />
      <nav aria-label={text.app.views} className="flex flex-col gap-0.5 border-t border-line p-2">
        <Link to="/terminals" className={ENTRY}>
          <SquareTerminal className="size-4" aria-hidden />
          {text.app.terminals}
        </Link>
        <Link to="/settings/{-$section}" className={ENTRY}>
          <Settings className="size-4" aria-hidden />
          {text.app.settings}
        </Link>
      </nav>
      <SidebarEdge
        widthPx={draggedPx ?? widthPx}
        onChange={(next, isFinal) => {
          setDragged(isFinal ? undefined : next);
          if (isFinal) setState({ isOpen: true, widthPx: next });
        }}
      />
    </aside>
  );
}

function PaletteButton() {
  return (
    <IconButton size="small" label={`${text.palette.open} (${shownKeys('mod+k')})`} onClick={showPalette}>
      <Command className="size-4" aria-hidden />
    </IconButton>
  );
}

function Rail() {
  return (
    <aside
      className="hidden shrink-0 flex-col items-center gap-1 border-e border-line bg-canvas p-1.5 md:flex"
      aria-label={text.app.sessions}
    >
      <IconButton label={`${text.app.openSidebar} (${shownKeys('mod+b')})`} onClick={toggleSidebar}>
        <PanelLeftOpen className="size-4 rtl:-scale-x-100" aria-hidden />
      </IconButton>
      <PaletteButton />
      <nav aria-label={text.app.views} className="mt-auto flex flex-col gap-1">
        <Link
          to="/terminals"
          className={RAIL_ENTRY}
          aria-label={text.app.terminals}
          title={text.app.terminals}
        >
          <SquareTerminal className="size-4" aria-hidden />
        </Link>
        <Link
          to="/settings/{-$section}"
          className={RAIL_ENTRY}
          aria-label={text.app.settings}
          title={text.app.settings}
        >
          <Settings className="size-4" aria-hidden />
        </Link>
      </nav>
    </aside>
  );
}
