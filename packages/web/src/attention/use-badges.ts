import { useEffect } from 'react';
import { setTitleCount } from './page-title.ts';

const ICON = './icon.svg';
const ICON_WITH_DOT = './icon-attention.svg';

/** Shows a number in the title of the window, on the icon of the tab, and on the icon of the installed app. */
export function useBadges(count: number): void {
  useEffect(() => {
    setTitleCount(count);
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    icon?.setAttribute('href', count === 0 ? ICON : ICON_WITH_DOT);
    void setAppBadge(count);
  }, [count]);
}

async function setAppBadge(count: number): Promise<void> {
  if (!('setAppBadge' in navigator)) return;
  try {
    await (count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count));
  } catch {
    // Only installed apps have a badge; some browsers refuse it for pages.
  }
}
