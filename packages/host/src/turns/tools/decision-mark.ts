import type { StringOrMarkdown } from '@agenthost/protocol';
import { defined, sameJson } from '@agenthost/protocol/values';
import type { ToolCallAnswer } from '../../agents/tool-call.ts';
import type { Decider, Verdict } from '../../approvals/policy.ts';

/** Keys of a tool call's `_meta` that record a decision made without a user. Only the host sets them. */
const KEYS: ReadonlySet<string> = new Set(['approvedBy', 'deniedBy', 'resultApprovedBy', 'resultDeniedBy']);

type Meta = Readonly<Record<string, unknown>>;

/** The record of a decision in `_meta`. */
export type DecisionMark = { readonly approvedBy: Decider } | { readonly deniedBy: Decider };

/** The mark of a verdict; `undefined` if users are asked. */
export function markOf(verdict: Verdict): DecisionMark | undefined {
  if (verdict.outcome === 'ask') return undefined;
  return verdict.outcome === 'run' ? { approvedBy: verdict.by } : { deniedBy: verdict.by };
}

/** An agent's `_meta` for a call without the keys that only the host sets. */
export const withoutMarks = (meta: Meta): Record<string, unknown> =>
  Object.fromEntries(Object.entries(meta).filter(([key]) => !KEYS.has(key)));

/**
 * The `_meta` of an action: the agent's value, or else the present one, with the mark. Empty if nothing
 * changes.
 */
export function markedMeta(
  given: Meta | undefined,
  present: Meta | undefined,
  mark: DecisionMark | undefined,
): { _meta?: Record<string, unknown> } {
  const marked = { ...withoutMarks(given ?? present ?? {}), ...mark };
  const changesNothing = given === undefined && sameJson(marked, present ?? {});
  return changesNothing ? {} : { _meta: marked };
}

/** The answer that an agent gets for a decision, in the same form as a user's answer. */
export function answerOf(
  { outcome }: Verdict,
  toolInput: string | undefined,
  deniedMessage: StringOrMarkdown | undefined,
): ToolCallAnswer {
  if (outcome === 'run') return { approved: true, ...defined({ toolInput }) };
  return { approved: false, reason: 'denied', ...defined({ message: deniedMessage }) };
}
