import { useEffect, useRef, useState } from 'react';

/** Time in which the second press of Escape counts. Milliseconds. */
const SECOND_PRESS_MS = 2_000;

/** Stops a turn by two presses of Escape. */
export interface StopByEscape {
  /** The next press stops the turn. */
  readonly isAsking: boolean;
  readonly press: () => void;
}

/** Calls `stop` at the second press of Escape within two seconds. */
export function useStopByEscape(isRunning: boolean, stop: () => void): StopByEscape {
  const [isAsking, setAsking] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const press = (): void => {
    clearTimeout(timer.current);
    if (!isRunning) return setAsking(false);
    if (isAsking) {
      setAsking(false);
      return stop();
    }
    setAsking(true);
    timer.current = setTimeout(() => setAsking(false), SECOND_PRESS_MS);
  };
  return { isAsking: isAsking && isRunning, press };
}
