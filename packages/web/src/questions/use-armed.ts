import { useEffect, useState } from 'react';

/** How long buttons that have just appeared do nothing: a tap that was meant for something else may still land on them. Milliseconds. */
const GUARD_MS = 300;

/** Whether the buttons of a question take clicks. False for a moment after the question with this key appeared. */
export function useArmed(key: string): boolean {
  const [armed, setArmed] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setArmed(key), GUARD_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return armed === key;
}
