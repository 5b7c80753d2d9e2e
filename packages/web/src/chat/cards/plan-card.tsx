import type { ToolCallState } from '@agenthost/protocol';
import { text } from '../../text/text.ts';
import { PlanList } from '../plan/plan-list.tsx';
import { planItemsOf } from '../plan/plan-model.ts';

/** The entries of a plan. */
export function PlanBody({ toolCall }: { readonly toolCall: ToolCallState }) {
  return <PlanList items={planItemsOf(toolCall)} />;
}

/** How much of a plan is done. */
export function PlanFacts({ toolCall }: { readonly toolCall: ToolCallState }) {
  const items = planItemsOf(toolCall);
  const done = items.filter(({ state }) => state === 'done').length;
  return text.chat.planProgress(done, items.length);
}

/** The name of a plan's card: its message is the list. */
export const PlanTitle = () => text.chat.planTitle;
