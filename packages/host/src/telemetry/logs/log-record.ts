import type { LogLevel } from '../../lib/log.ts';
import { redact, redactText } from '../../lib/redact.ts';
import { type Attributes, encodeAttributes, nanoseconds } from '../otlp.ts';
import { SEVERITIES } from './severity.ts';

/** A log record of the host. */
export interface LogRecord {
  readonly level: LogLevel;
  /** ms since the epoch. */
  readonly ms: number;
  /** One sentence. */
  readonly body: string;
  readonly attributes: Attributes;
  /** For programs: the kind of event. Absent: a line of the host's log. */
  readonly eventName?: string;
  readonly traceId?: string;
  readonly spanId?: string;
}

/** Most characters of an attribute of a log record. */
const MAX_LENGTH = 4_096;

/** Names of fields of the host's log with a name of their own as attributes. */
const NAMES: Readonly<Record<string, string>> = {
  session: 'ahp.session.id',
  chat: 'ahp.chat.id',
  turnId: 'ahp.turn.id',
  toolCallId: 'ahp.tool_call.id',
  mcpServer: 'ahp.mcp.server.name',
};

/** A line of the host's log as a record, without secrets. */
export function recordOfLine(level: LogLevel, fields: object, message: string, ms: number): LogRecord {
  const attributes: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Error) {
      const shown = redactText(value.message);
      attributes['exception.type'] = value.name;
      attributes['exception.message'] = shown.slice(0, MAX_LENGTH);
      if (value.stack !== undefined)
        attributes['exception.stacktrace'] = redactText(value.stack).slice(0, MAX_LENGTH);
      continue;
    }
    const shown = redact({ [name]: value });
    const inside: unknown = typeof shown === 'object' && shown !== null ? Reflect.get(shown, name) : shown;
    const text = valueOf(inside);
    if (text !== undefined) attributes[nameOf(name, inside)] = text;
  }
  return { level, ms, body: redactText(message).slice(0, MAX_LENGTH), attributes };
}

/** `uri` and `channel` name a session in some lines, and another channel in others. */
const nameOf = (name: string, value: unknown): string =>
  (name === 'uri' || name === 'channel') && typeof value === 'string' && value.startsWith('ahp-session:')
    ? 'ahp.session.id'
    : (NAMES[name] ?? name);

function valueOf(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string') return value.slice(0, MAX_LENGTH);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return value === undefined || value === null ? undefined : JSON.stringify(value).slice(0, MAX_LENGTH);
}

/** A log record in the JSON of OTLP. */
export const encodeRecord = ({
  level,
  ms,
  body,
  attributes,
  eventName,
  traceId,
  spanId,
}: LogRecord): object => ({
  timeUnixNano: nanoseconds(ms),
  observedTimeUnixNano: nanoseconds(ms),
  severityNumber: SEVERITIES[level],
  severityText: level.toUpperCase(),
  body: { stringValue: body },
  attributes: encodeAttributes(attributes),
  ...(eventName === undefined ? {} : { eventName }),
  ...(traceId === undefined ? {} : { traceId }),
  ...(spanId === undefined ? {} : { spanId }),
});
