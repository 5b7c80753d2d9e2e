import type { AutomationRunState } from '@agenthost/protocol';
import type { Contents } from './contents.ts';
import { runSpanId, type Span, sessionSpanId, traceIdOf } from './span.ts';

/** The span of an ended run of an automation, below the span of the session that it created. `undefined`: the run is not over. */
export function runSpan(state: AutomationRunState, contents: Contents): Span | undefined {
  const { resource, automation, origin, lifecycle, primarySession } = state;
  if (lifecycle.status === 'pending' || lifecycle.status === 'running') return undefined;
  const [createdMs, completedMs] = [Date.parse(lifecycle.createdAt), Date.parse(lifecycle.completedAt)];
  const startMs = Number.isFinite(createdMs) ? createdMs : completedMs;
  const error = lifecycle.status === 'failed' ? lifecycle.error : undefined;
  const message = contents.text(error?.message);
  return {
    role: 'run',
    // A run that could not start has no session, and so a trace of its own.
    traceId: traceIdOf(primarySession ?? resource),
    spanId: runSpanId(resource),
    ...(primarySession === undefined ? {} : { parentSpanId: sessionSpanId(primarySession) }),
    name: 'automation_run',
    startMs,
    endMs: Math.max(startMs, completedMs),
    attributes: {
      'ahp.automation.id': automation,
      'ahp.automation_run.id': resource,
      'ahp.automation_run.outcome': lifecycle.status,
      'ahp.automation_run.origin': origin.kind,
      'ahp.automation_run.is_catch_up': origin.kind === 'trigger' ? origin.catchUp : undefined,
      'ahp.session.id': primarySession,
    },
    ...(error === undefined
      ? {}
      : { failure: { type: error.errorType, ...(message === undefined ? {} : { message }) } }),
  };
}
