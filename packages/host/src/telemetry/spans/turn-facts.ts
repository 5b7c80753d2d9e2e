import type { ChatOrigin, Message, URI } from '@agenthost/protocol';
import type { Attributes } from '../otlp.ts';
import { sessionSpanId, toolSpanId, traceIdOf, turnSpanId } from './span.ts';

/** What is known of a turn when it starts. */
export interface TurnFacts {
  readonly session: URI;
  readonly chat: URI;
  readonly turnId: string;
  /** ms since the epoch, by the host's clock. */
  readonly startMs: number;
  /** Id of the agent provider. */
  readonly provider: string;
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
export const commonAttributes = ({ session, chat, turnId, provider }: TurnFacts): Attributes => ({
  'ahp.session.id': session,
  'ahp.chat.id': chat,
  'ahp.turn.id': turnId,
  'gen_ai.conversation.id': chat,
  'gen_ai.provider.name': provider,
});
