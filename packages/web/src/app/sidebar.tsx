import { Link } from '@tanstack/react-router';
import { Settings, SquareTerminal } from 'lucide-react';
import { SidebarBoard } from '../board/sidebar-board.tsx';
import { text } from '../text/text.ts';

const ENTRY =
  'flex h-9 items-center gap-2.5 rounded-lg px-2.5 text-sm text-muted hover:bg-hover hover:text-text data-[status=active]:bg-hover data-[status=active]:text-text';

/** The column on the left of a wide screen: sessions, and the ways to terminals and settings. */
export function Sidebar() {
  return (
    <aside className="hidden w-72 shrink-0 flex-col border-r border-line bg-canvas md:flex lg:w-80">
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
    </aside>
  );
}
