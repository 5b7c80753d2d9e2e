import { type ChatState, type ToolCallState, textOf } from '@agenthost/protocol';
import { inputObjectOf } from '../cards/call-text.ts';
import { cardKindOf } from '../cards/card-kind.ts';

/** One entry of an agent's plan. */
export interface PlanItem {
  readonly content: string;
  readonly state: 'done' | 'active' | 'pending';
}

const stateOf = (value: unknown): PlanItem['state'] => {
  if (value === 'completed' || value === 'done') return 'done';
  return value === 'in_progress' || value === 'in-progress' || value === 'active' ? 'active' : 'pending';
};

const LINE = /^\s*[-*] \[([ xX])\] ?(▸ ?)?(.*)$/;

/** The entries of a plan: from the result, the input, or the message of the call. Empty when there are none. */
export function planItemsOf(toolCall: ToolCallState): readonly PlanItem[] {
  const structured = 'structuredContent' in toolCall ? toolCall.structuredContent : undefined;
  const input = inputObjectOf(toolCall);
  const listed =
    entriesOf(structured?.['entries']) ??
    entriesOf(input?.['todos']) ??
    entriesOf(input?.['plan']) ??
    entriesOf(input?.['entries']);
  if (listed !== undefined) return listed;
  const message = toolCall.status === 'completed' ? toolCall.pastTenseMessage : toolCall.invocationMessage;
  return message === undefined ? [] : planItemsOfMarkdown(textOf(message));
}

function entriesOf(value: unknown): readonly PlanItem[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.flatMap((entry: unknown): PlanItem[] => {
    if (typeof entry !== 'object' || entry === null) return [];
    const content = ['content', 'step', 'title', 'text', 'description']
      .map((key): unknown => Reflect.get(entry, key))
      .find((each) => typeof each === 'string');
    return typeof content === 'string' ? [{ content, state: stateOf(Reflect.get(entry, 'status')) }] : [];
  });
}

/** The entries of a Markdown list of tasks; `▸` marks the one in progress. */
export function planItemsOfMarkdown(markdown: string): readonly PlanItem[] {
  return markdown.split('\n').flatMap((line): PlanItem[] => {
    const found = LINE.exec(line);
    if (found === null) return [];
    const [, box, mark, content = ''] = found;
    return [{ content, state: box !== ' ' ? 'done' : mark === undefined ? 'pending' : 'active' }];
  });
}

/** The latest plan of the running turn, or of the last one. */
export function latestPlan({ activeTurn, turns }: ChatState): ToolCallState | undefined {
  const parts = (activeTurn ?? turns.at(-1))?.responseParts ?? [];
  for (let index = parts.length - 1; index >= 0; index--) {
    const part = parts[index];
    if (part?.kind === 'toolCall' && cardKindOf(part.toolCall) === 'plan') return part.toolCall;
  }
  return undefined;
}
