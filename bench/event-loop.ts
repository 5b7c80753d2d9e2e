/** Until it is called: the longest time between two rounds of the event loop, ms. */
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
