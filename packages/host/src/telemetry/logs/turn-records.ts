import type { Span } from '../spans/span.ts';
import { commonAttributes, idsOf, type TurnFacts } from '../spans/turn-facts.ts';
import type { LogRecord } from './log-record.ts';

/** The record of a turn that has started. */
export function turnStartedRecord(facts: TurnFacts): LogRecord {
  const { traceId, spanId } = idsOf(facts);
  return {
    level: 'info',
    ms: facts.startMs,
    eventName: 'ahp.turn.started',
    body: facts.isResumed ? `a turn of ${facts.provider} goes on` : `a turn of ${facts.provider} has started`,
    attributes: commonAttributes(facts),
    traceId,
    spanId,
  };
}

/** The record of an ended span; `undefined`: it has none. */
export function endedRecord(span: Span): LogRecord | undefined {
  const { role, attributes, endMs: ms, traceId, spanId, failure } = span;
  const took = `after ${((span.endMs - span.startMs) / 1_000).toFixed(1)} s`;
  const base = { ms, attributes: { ...attributes, 'error.type': failure?.type }, traceId, spanId };
  switch (role) {
    case 'turn': {
      const outcome = String(attributes['ahp.turn.outcome']);
      const body = `a turn of ${String(attributes['gen_ai.provider.name'])} ended ${took}: ${outcome}`;
      const level = outcome === 'error' ? 'error' : 'info';
      return {
        ...base,
        level,
        eventName: 'ahp.turn.ended',
        body: failure ? `${body} (${failure.type})` : body,
      };
    }
    case 'tool': {
      const outcome = String(attributes['ahp.tool_call.outcome'] ?? (failure ? 'failed' : 'done'));
      const body = `the tool ${String(attributes['gen_ai.tool.name'])} ended ${took}: ${outcome}`;
      return { ...base, level: failure ? 'warn' : 'info', eventName: 'ahp.tool_call.ended', body };
    }
    case 'wait':
      return {
        ...base,
        level: 'info',
        eventName: 'ahp.wait.ended',
        body: `a turn waited for ${String(attributes['ahp.wait.reason'])} and went on ${took}`,
      };
    case 'model':
      return {
        ...base,
        level: 'debug',
        eventName: 'ahp.model_call.ended',
        body: `a model call ended ${took}`,
      };
    case 'run': {
      const outcome = String(attributes['ahp.automation_run.outcome']);
      const body = `a run of an automation ended ${took}: ${outcome}`;
      return {
        ...base,
        level: failure ? 'warn' : 'info',
        eventName: 'ahp.automation_run.ended',
        body: failure ? `${body} (${failure.type})` : body,
      };
    }
    case 'session':
      return undefined;
    default:
      return role satisfies never;
  }
}
