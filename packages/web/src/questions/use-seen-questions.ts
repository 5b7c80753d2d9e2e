import type { SessionInputRequest } from '@agenthost/protocol';
import { type RefObject, useEffect, useState } from 'react';
import { beforeFrame } from '../live/frame.ts';
import { ASK_ATTRIBUTE, askKey } from './waiting-questions.ts';

/** Questions are drawn this time after the state has them at the latest. Milliseconds. */
const DRAWN_MS = 400;

/** Pixels of a question that must be in view. */
const LEAST_SEEN = 40;

const NONE: ReadonlySet<string> = new Set();

/** The place of an open question in the transcript; `undefined` when it is not drawn. */
export function questionElement(entry: SessionInputRequest): HTMLElement | undefined {
  const found = document.querySelector(`[${ASK_ATTRIBUTE}="${CSS.escape(askKey(entry))}"]`);
  return found instanceof HTMLElement ? found : undefined;
}

/** Ids of the open requests that are in view above the element `below`. */
export function useSeenQuestions(
  entries: readonly SessionInputRequest[],
  below: RefObject<HTMLElement | null>,
): ReadonlySet<string> {
  const [seen, setSeen] = useState(NONE);
  useEffect(() => {
    if (entries.length === 0) return setSeen(NONE);
    const look = (): void => {
      const end = below.current?.getBoundingClientRect().top ?? window.innerHeight;
      const found = entries.filter((entry) => {
        const place = questionElement(entry)?.getBoundingClientRect();
        return place !== undefined && place.bottom > LEAST_SEEN && place.top < end - LEAST_SEEN;
      });
      setSeen((present) => {
        const isSame = present.size === found.length && found.every(({ id }) => present.has(id));
        return isSame ? present : new Set(found.map(({ id }) => id));
      });
    };
    let cancel: (() => void) | undefined;
    const soon = (): void => {
      cancel = beforeFrame(look);
    };
    soon();
    const timer = setTimeout(look, DRAWN_MS);
    document.addEventListener('scroll', soon, { capture: true, passive: true });
    window.addEventListener('resize', soon);
    return () => {
      cancel?.();
      clearTimeout(timer);
      document.removeEventListener('scroll', soon, { capture: true });
      window.removeEventListener('resize', soon);
    };
  }, [entries, below]);
  return seen;
}
