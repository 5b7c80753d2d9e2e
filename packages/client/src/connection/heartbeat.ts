import { type Clock, steadyNow } from '../clock.ts';

/** How a dead connection is noticed. */
export interface LivenessOptions {
  /** Milliseconds between pings. Default 15,000. */
  intervalMs?: number;
  /** Milliseconds without any frame after a ping until the connection counts as lost. Default 10,000. */
  timeoutMs?: number;
}

/** What liveness needs of the connection. */
export interface LivenessPort {
  /** Resolves when the host has answered. */
  ping(): Promise<void>;
  /** When the last frame came, by `steadyNow`. */
  lastFrameAt(): number;
  onDead(): void;
}

const DEFAULT_INTERVAL_MS = 15_000;
const DEFAULT_TIMEOUT_MS = 10_000;

/** Pings in an interval, and reports a connection on which nothing comes back. Returns how to stop it. */
export function watchLiveness(
  { ping, lastFrameAt, onDead }: LivenessPort,
  clock: Clock,
  { intervalMs = DEFAULT_INTERVAL_MS, timeoutMs = DEFAULT_TIMEOUT_MS }: LivenessOptions = {},
): () => void {
  let isStopped = false;
  let timer: unknown;
  const arm = (callback: () => void, delayMs: number): void => {
    clock.clearTimeout(timer);
    if (!isStopped) timer = clock.setTimeout(callback, delayMs);
  };
  // An answer may stand behind megabytes of a snapshot: any frame is a sign of life.
  const check = (): void => {
    const silentMs = steadyNow(clock) - lastFrameAt();
    if (silentMs < timeoutMs) arm(check, timeoutMs - silentMs);
    else if (!isStopped) onDead();
  };
  const beat = (): void => {
    arm(check, timeoutMs);
    const rearm = (): void => arm(beat, intervalMs);
    // A refused ping is an answer too; a lost connection stops the watch by itself.
    ping().then(rearm, rearm);
  };
  arm(beat, intervalMs);
  return () => {
    isStopped = true;
    clock.clearTimeout(timer);
  };
}
