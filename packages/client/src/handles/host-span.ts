import type { TelemetryAttributes } from './otlp-json.ts';

/** A span of the host. */
export interface HostSpan {
  readonly id: string;
  /** Absent: the root of its trace. */
  readonly parentId?: string;
  readonly name: string;
  /** ms since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: TelemetryAttributes;
  readonly hasFailed: boolean;
}
