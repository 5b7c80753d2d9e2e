import type { SessionInputRequest } from '@agenthost/protocol';
import { type RefObject, useEffect, useState } from 'react';
import { beforeFrame } from '../live/frame.ts';
import { ASK_ATTRIBUTE, answerable, askKey } from './waiting-questions.ts';

/** A question is drawn and scrolled to within this time after the state has it. Milliseconds. */
const DRAWN_MS = 400;

/** Pixels of a question that must be in view. */
const LEAST_SEEN = 40;

const NONE: ReadonlySet<string> = new Set();

/** The place of an open question in the transcript; `undefined` when it is not drawn. */
export function questionElement(entry: SessionInputRequest): HTMLElement | undefined {
  const found = document.querySelector(`[${ASK_ATTRIBUTE}="${CSS.escape(askKey(entry))}"]`);
  return found instanceof HTMLElement ? found : undefined;
}

/** The open requests that a person can answer and that are not in view above the element `below`. */
export function useHiddenQuestions(
  entries: readonly SessionInputRequest[],
  below: RefObject<HTMLElement | null>,
): readonly SessionInputRequest[] {
  const [hidden, setHidden] = useState(NONE);
  useEffect(() => {
    if (entries.length === 0) return setHidden(NONE);
    const look = (): void => {
      const end = below.current?.getBoundingClientRect().top ?? window.innerHeight;
      const found = answerable(entries).filter((entry) => {
        const place = questionElement(entry)?.getBoundingClientRect();
        return place === undefined || place.bottom <= LEAST_SEEN || place.top >= end - LEAST_SEEN;
      });
      setHidden((present) => {
        const isSame = present.size === found.length && found.every(({ id }) => present.has(id));
        return isSame ? present : new Set(found.map(({ id }) => id));
      });
    };
    let cancel: (() => void) | undefined;
    const soon = (): void => {
      cancel = beforeFrame(look);
    };
    let isFollowing = false;
    // A bar that shows for a moment only would move the transcript.
    const timer = setTimeout(() => {
      isFollowing = true;
      document.addEventListener('scroll', soon, { capture: true, passive: true });
      window.addEventListener('resize', soon);
      look();
    }, DRAWN_MS);
    return () => {
      cancel?.();
      clearTimeout(timer);
      if (!isFollowing) return;
      document.removeEventListener('scroll', soon, { capture: true });
      window.removeEventListener('resize', soon);
    };
  }, [entries, below]);
  return answerable(entries).filter(({ id }) => hidden.has(id));
}
