import { useEffect } from 'react';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { titleText } from './title-text.ts';

/** Names of the views that are mounted, the latest last. */
const views = new Map<object, string>();
let waitingCount = 0;

function show(): void {
  document.title = titleText(text.app.name, Array.from(views.values()).at(-1), waitingCount);
}

/** Names the view in the title of the window while the component is mounted. */
export function usePageTitle(name: string | undefined): void {
  useEffect(() => {
    if (name === undefined) return undefined;
    const key = {};
    views.set(key, visibleText(name));
    show();
    return () => {
      views.delete(key);
      show();
    };
  }, [name]);
}

/** Shows in the title how many sessions wait for an answer. */
export function setTitleCount(count: number): void {
  waitingCount = count;
  show();
}
