import { type AhpClient, type ChatHandle, openTelemetry, type Waterfall } from '@agenthost/client';
import type { ChatState, ResponsePart, URI } from '@agenthost/protocol';
import { useCallback, useEffect, useRef, useState } from 'react';
import { turnOf } from '../chat/transcript/rows.ts';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { isRunning } from './trace-rows.ts';

/** Least time between two readings, in milliseconds: the host reads the journal for each. */
const LEAST_MS = 1_000;
/** Time between two readings while the turn runs and its chat shows no new step. Workers have steps of their own. */
const PAUSE_MS = 5_000;

/** A trace that was read. */
export interface ShownTrace {
  readonly state: 'shown';
  readonly waterfall: Waterfall;
  /** When it was read, in ms since the epoch, by the clock of this browser. */
  readonly readAt: number;
}

/** The trace of a turn, or why there is none. */
type TurnTrace =
  | ShownTrace
  | { readonly state: 'reading' }
  | { readonly state: 'none' }
  | { readonly state: 'failed'; readonly reason: string };

/**
 * Reads the trace of a turn. Reads it again when the turn has a new step or has ended, at most once a second, and every 5 s while the turn runs. A
 * trace that was read stays when a later reading fails.
 */
export function useTurnTrace(
  link: HostLink,
  chat: ChatHandle,
  turnId: string,
): TurnTrace & { readonly retry: () => void } {
  const { client } = link;
  const chatUri = chat.mirror.uri;
  const steps = useSelected(chat.mirror, (state) => stepsOf(state, turnId));
  const [trace, setTrace] = useState<TurnTrace>({ state: 'reading' });
  const [round, setRound] = useState(0);
  const begunAt = useRef(0);
  const isMounted = useIsMounted();
  useEffect(() => {
    if (client === undefined) return undefined;
    const read = async (): Promise<void> => {
      const startedAt = Date.now();
      begunAt.current = startedAt;
      const found = await readTrace(client, chatUri, turnId);
      // An answer to a later reading is newer.
      if (isMounted.current && begunAt.current === startedAt)
        setTrace((before) => (found.state === 'failed' && before.state === 'shown' ? before : found));
    };
    const timer = setTimeout(() => void read(), Math.max(0, begunAt.current + LEAST_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [client, chatUri, turnId, steps, round, isMounted]);
  const retry = useCallback(() => {
    setTrace({ state: 'reading' });
    setRound((before) => before + 1);
  }, []);
  const isOpen = trace.state === 'shown' && isRunning(trace.waterfall);
  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setInterval(() => setRound((before) => before + 1), PAUSE_MS);
    return () => clearInterval(timer);
  }, [isOpen]);
  return { ...trace, retry };
}

function useIsMounted(): { readonly current: boolean } {
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return isMounted;
}

async function readTrace(client: AhpClient, chat: URI, turnId: string): Promise<TurnTrace> {
  try {
    const telemetry = await openTelemetry(client);
    const waterfall = await telemetry.waterfallOfTurn(chat, turnId);
    return waterfall === undefined ? { state: 'none' } : { state: 'shown', waterfall, readAt: Date.now() };
  } catch (error) {
    return { state: 'failed', reason: messageOf(error) };
  }
}

/** A text that changes with each step of a turn, and not with streamed text. */
function stepsOf(state: ChatState, turnId: string): string {
  const turn = turnOf(state, turnId);
  if (turn === undefined) return '';
  const ending = 'state' in turn ? turn.state : 'running';
  const { inputTokens = 0, outputTokens = 0 } = turn.usage ?? {};
  return [ending, inputTokens, outputTokens, ...turn.responseParts.map(stepOf)].join(' ');
}

function stepOf(part: ResponsePart): string {
  if (part.kind === 'toolCall') return part.toolCall.status;
  if (part.kind === 'inputRequest') return part.response ?? 'open';
  return part.kind;
}
