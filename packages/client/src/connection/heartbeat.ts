import { type Clock, steadyNow } from '../clock.ts';

/** How the client detects a dead connection. */
export interface LivenessOptions {
  /** Time between pings, in milliseconds. Default 15,000. */
  intervalMs?: number;
  /**
   * The connection counts as lost when no frame arrives for this long after a ping. Milliseconds. Default
   * 10,000.
   */
  timeoutMs?: number;
}

/** The parts of a connection that the heartbeat uses. */
export interface LivenessPort {
  /** Resolves when the host answers the ping. */
  ping(): Promise<void>;
  /** Time of the last frame, by `steadyNow`. */
  lastFrameAt(): number;
  onDead(): void;
}

const DEFAULT_INTERVAL_MS = 15_000;
const DEFAULT_TIMEOUT_MS = 10_000;

/** The running heartbeat of a connection. */
export interface Liveness {
  /**
   * Sends a ping at once, and calls `onDead` when no frame arrives within `withinMs`. Does nothing while an earlier check runs.
   */
  checkNow(withinMs: number, onDead: () => void): void;
  /** Ends the heartbeat. */
  stop(): void;
}

/** Sends pings at intervals and calls `onDead` when nothing arrives any more. */
export function watchLiveness(
  { ping, lastFrameAt, onDead }: LivenessPort,
  clock: Clock,
  { intervalMs = DEFAULT_INTERVAL_MS, timeoutMs = DEFAULT_TIMEOUT_MS }: LivenessOptions = {},
): Liveness {
  let isStopped = false;
  let isChecking = false;
  let timer: unknown;
  const arm = (callback: () => void, delayMs: number): void => {
    clock.clearTimeout(timer);
    if (!isStopped) timer = clock.setTimeout(callback, delayMs);
  };
  const rearm = (): void => {
    isChecking = false;
    arm(beat, intervalMs);
  };
  // The answer may be queued behind megabytes of a snapshot, so every frame counts.
  const check = (): void => {
    const silentMs = steadyNow(clock) - lastFrameAt();
    if (silentMs < timeoutMs) arm(check, timeoutMs - silentMs);
    else if (!isStopped) onDead();
  };
  // An error answer counts as well. A lost connection stops the heartbeat.
  const ask = (): void => void ping().then(rearm, rearm);
  const beat = (): void => {
    arm(check, timeoutMs);
    ask();
  };
  arm(beat, intervalMs);
  return {
    checkNow: (withinMs, onFailed) => {
      if (isStopped || isChecking) return;
      isChecking = true;
      const askedAt = steadyNow(clock);
      arm(() => {
        if (lastFrameAt() >= askedAt) rearm();
        else if (!isStopped) onFailed();
      }, withinMs);
      ask();
    },
    stop: () => {
      isStopped = true;
      clock.clearTimeout(timer);
    },
  };
}
