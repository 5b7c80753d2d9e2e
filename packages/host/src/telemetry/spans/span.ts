import { createHash } from 'node:crypto';
import { type Attributes, encodeAttributes, nanoseconds } from '../otlp.ts';

/** What a span covers: a session, a part of one, or a run of an automation. */
export type SpanRole = 'session' | 'turn' | 'tool' | 'model' | 'wait' | 'run';

/** A span that has ended, or that is reported while it is open. */
export interface Span {
  readonly role: SpanRole;
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Absent: the root of its trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  /** ms since the epoch. */
  readonly startMs: number;
  /** ms since the epoch, at least `startMs`. */
  readonly endMs: number;
  readonly attributes: Attributes;
  /** Absent: it did not fail. */
  readonly failure?: SpanFailure;
}

/** How a span failed. */
export interface SpanFailure {
  /** For programs: the attribute `error.type`. */
  readonly type: string;
  /** For people. Absent: not recorded, because it may contain contents. */
  readonly message?: string;
}

/** The kinds of OTLP: a model call goes to another program, everything else is the host's own work. */
const KINDS = { session: 1, turn: 1, tool: 1, wait: 1, run: 1, model: 3 } as const satisfies Record<
  SpanRole,
  number
>;

const STATUS_ERROR = 2;

const digest = (length: number, ...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, length);

/**
 * The trace of a session. Ids follow from URIs, so a trace that is rebuilt from the journal has the ids that subscribers of the live one got, and
 * the spans of a host that was restarted join their trace.
 */
export const traceIdOf = (session: string): string => digest(32, 'trace', session);

/** The span of a session. */
export const sessionSpanId = (session: string): string => digest(16, 'session', session);

/** The span of a run of an automation. */
export const runSpanId = (run: string): string => digest(16, 'run', run);

/** The span of a turn. A resumed turn has a span for each of its runs, told apart by `startMs`. */
export const turnSpanId = (chat: string, turnId: string, startMs: number): string =>
  digest(16, 'turn', chat, turnId, String(startMs));

/** The span of a tool call. Worker chats know the call that started them, and not its turn. */
export const toolSpanId = (chat: string, toolCallId: string): string => digest(16, 'tool', chat, toolCallId);

/** The span of a part of another span: the model call or the wait with that number. */
export const partSpanId = (parentSpanId: string, role: SpanRole, number: number): string =>
  digest(16, role, parentSpanId, String(number));

/** A span in the JSON of OTLP. */
export function encodeSpan(span: Span): object {
  const { traceId, spanId, parentSpanId, name, startMs, endMs, failure } = span;
  const attributes = encodeAttributes({
    ...span.attributes,
    'ahp.span.kind': span.role,
    'error.type': failure?.type,
  });
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: KINDS[span.role],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
    attributes,
    status:
      failure === undefined
        ? {}
        : { code: STATUS_ERROR, ...(failure.message === undefined ? {} : { message: failure.message }) },
  };
}
