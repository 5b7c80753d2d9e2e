import type { StringOrMarkdown } from '@agenthost/protocol';
import { defined, sameJson } from '@agenthost/protocol/values';
import type { ToolCallAnswer } from '../../agents/tool-call.ts';
import type { Decider, Verdict } from '../../approvals/policy.ts';

/** Keys of a tool call's `_meta` that say who decided in place of a person: the host's alone. */
const KEYS: ReadonlySet<string> = new Set(['approvedBy', 'deniedBy', 'resultApprovedBy', 'resultDeniedBy']);

type Meta = Readonly<Record<string, unknown>>;

/** What a decision looks like in `_meta`. */
export type DecisionMark = { readonly approvedBy: Decider } | { readonly deniedBy: Decider };

/** The mark of a verdict; `undefined` while people are asked. */
export function markOf(verdict: Verdict): DecisionMark | undefined {
  if (verdict.outcome === 'ask') return undefined;
  return verdict.outcome === 'run' ? { approvedBy: verdict.by } : { deniedBy: verdict.by };
}

/** What an agent says about a call, without what it may not say. */
export const withoutMarks = (meta: Meta): Record<string, unknown> =>
  Object.fromEntries(Object.entries(meta).filter(([key]) => !KEYS.has(key)));

/** The `_meta` of an action: what the agent gave, else what is there, with the mark; nothing when that changes nothing. */
export function markedMeta(
  given: Meta | undefined,
  present: Meta | undefined,
  mark: DecisionMark | undefined,
): { _meta?: Record<string, unknown> } {
  const marked = { ...withoutMarks(given ?? present ?? {}), ...mark };
  const changesNothing = given === undefined && sameJson(marked, present ?? {});
  return changesNothing ? {} : { _meta: marked };
}

/** What the agent hears of a decision: as if a person had said yes, or no and why. */
export function answerOf(
  { outcome }: Verdict,
  toolInput: string | undefined,
  deniedMessage: StringOrMarkdown | undefined,
): ToolCallAnswer {
  if (outcome === 'run') return { approved: true, ...defined({ toolInput }) };
  return { approved: false, reason: 'denied', ...defined({ message: deniedMessage }) };
}
