/** Starts a watch. The returned function ends it and gives the longest event-loop iteration since, in ms. */
export function watchLoop(): () => number {
  let last = performance.now();
  let longest = 0;
  let isOver = false;
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return () => {
    isOver = true;
    return longest;
  };
}
