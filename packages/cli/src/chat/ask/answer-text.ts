import type { ChatInputAnswer, ChatInputQuestion } from '@agenthost/protocol';
import { oneLine } from '../../render/plain-text.ts';

/** What somebody answered, for people, on one line; '' for nothing. */
export function answerText(question: ChatInputQuestion, answer: ChatInputAnswer | undefined): string {
  if (answer === undefined) return '';
  if (answer.state === 'skipped') return '(skipped)';
  const { value } = answer;
  const label = (id: string): string =>
    ('options' in question ? question.options.find((option) => option.id === id)?.label : undefined) ?? id;
  switch (value.kind) {
    case 'text':
      return oneLine(value.value);
    case 'number':
      return String(value.value);
    case 'boolean':
      return value.value ? 'yes' : 'no';
    case 'selected':
      return oneLine(
        [...(value.value === '' ? [] : [label(value.value)]), ...(value.freeformValues ?? [])].join(', '),
      );
    case 'selected-many':
      return oneLine([...value.value.map(label), ...(value.freeformValues ?? [])].join(', '));
    default:
      return value satisfies never;
  }
}
