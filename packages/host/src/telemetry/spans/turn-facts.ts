import type { ChatOrigin, Message, SessionOrigin, URI } from '@agenthost/protocol';
import type { Sync } from '../../sync/sync.ts';
import type { Attributes } from '../otlp.ts';
import { sessionSpanId, toolSpanId, traceIdOf, turnSpanId } from './span.ts';

/** What is known of a session. */
export interface SessionFacts {
  readonly session: URI;
  /** Id of the agent provider. */
  readonly provider: string;
  /** What created the session. Absent: a person or a client. */
  readonly createdBy?: SessionOrigin | undefined;
}

/** Reads what is known of a session. `unknown`: its provider, if it is not in memory. */
export function sessionFacts({ registry }: Sync, session: URI): SessionFacts {
  const state = registry.getOf('session', session)?.state;
  return { session, provider: state?.provider ?? 'unknown', createdBy: state?.origin };
}

/** What is known of a turn when it starts. */
export interface TurnFacts extends SessionFacts {
  readonly chat: URI;
  readonly turnId: string;
  /** ms since the epoch, by the host's clock. */
  readonly startMs: number;
  /** The origin of the chat. Absent: unknown. */
  readonly origin?: ChatOrigin | undefined;
  readonly message: Message;
  /** Whether the turn goes on after an error [CHAT-23]. */
  readonly isResumed: boolean;
}

/** The ids of a turn's span. */
export interface TurnIds {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
}

/** The ids of a turn. The turn of a worker is part of the tool call that started the worker, any other one of its session. */
export function idsOf({ session, chat, turnId, startMs, origin }: TurnFacts): TurnIds {
  return {
    traceId: traceIdOf(session),
    spanId: turnSpanId(chat, turnId, startMs),
    parentSpanId:
      origin?.kind === 'tool' ? toolSpanId(origin.chat, origin.toolCallId) : sessionSpanId(session),
  };
}

/** The attributes of all spans of a turn. */
export const commonAttributes = ({ session, chat, turnId, provider, createdBy }: TurnFacts): Attributes => ({
  'ahp.session.id': session,
  'ahp.chat.id': chat,
  'ahp.turn.id': turnId,
  'gen_ai.conversation.id': chat,
  'gen_ai.provider.name': provider,
  ...automationAttributes(createdBy),
});

/** The automation and the run that created a session. */
export const automationAttributes = (createdBy: SessionOrigin | undefined): Attributes => ({
  'ahp.automation.id': createdBy?.automation,
  'ahp.automation_run.id': createdBy?.run,
});
