import type { URI } from '@agenthost/protocol';
import { type Severity, severityOf } from './logs/severity.ts';
import type { Signal } from './otlp.ts';

/** The advertised channels [OTLP-1]. */
export const CHANNELS = {
  logs: 'ahp-otlp://logs/{level}',
  traces: 'ahp-otlp://traces',
  metrics: 'ahp-otlp://metrics',
} as const satisfies Record<Signal, URI>;

/** Most lines that a log channel sends of the past. */
const MAX_TAIL = 256;

/** A telemetry channel, as its URI describes it. */
export type TelemetryChannel =
  | {
      readonly signal: 'logs';
      /** The lowest severity. */
      readonly severity: Severity;
      /** Number of kept lines that are sent at the start. */
      readonly tail: number;
    }
  | { readonly signal: 'traces' | 'metrics' }
  /** The spans of one turn, sent once. */
  | { readonly signal: 'turn'; readonly chat: URI; readonly turnId: string };

/**
 * Reads the URI of a telemetry channel; `undefined`: there is no such channel. Besides the advertised ones there are `ahp-otlp://logs` (from `info` on),
 * `?tail=<number>` behind a log channel, and `ahp-otlp://traces?chat=<URI>&turn=<id>`.
 */
export function readChannel(uri: URI): TelemetryChannel | undefined {
  const match = /^ahp-otlp:\/\/(logs|traces|metrics)(?:\/([A-Za-z]+))?(?:\?(.*))?$/.exec(uri);
  if (match === null) return undefined;
  const [, signal, level, query] = match;
  const params = new URLSearchParams(query ?? '');
  if (signal === 'logs') {
    const severity = severityOf(level ?? 'info');
    const tail = params.get('tail') ?? '0';
    if (severity === undefined || !/^\d{1,3}$/.test(tail)) return undefined;
    return { signal, severity, tail: Math.min(Number(tail), MAX_TAIL) };
  }
  if (level !== undefined) return undefined;
  if (signal === 'metrics') return query === undefined ? { signal } : undefined;
  const [chat, turnId] = [params.get('chat'), params.get('turn')];
  if (query === undefined) return { signal: 'traces' };
  return chat !== null && turnId !== null ? { signal: 'turn', chat, turnId } : undefined;
}
