import { lazy, Suspense } from 'react';
import { sidebarSetting } from '../app/sidebar-settings.ts';
import { useSetting } from '../live/setting.ts';
import { useMedia } from '../ui/use-media.ts';

const BoardView = lazy(async () => ({ default: (await import('./board-view.tsx')).BoardView }));
const Overview = lazy(async () => ({ default: (await import('./overview/overview.tsx')).Overview }));

/** The start view: the list of sessions, or an overview where the sidebar shows the list. */
export function HomeView() {
  const isWide = useMedia('(min-width: 48rem)');
  const [{ isOpen }] = useSetting(sidebarSetting);
  return <Suspense>{isWide && isOpen ? <Overview /> : <BoardView />}</Suspense>;
}
