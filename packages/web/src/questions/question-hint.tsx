import type { ChatInputQuestion } from '@agenthost/protocol';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { SafeText } from '../ui/safe-text.tsx';
import type { FieldValue } from './answer-fields.ts';

/** Props of a field for one question. */
export interface QuestionFieldProps<Q extends ChatInputQuestion = ChatInputQuestion> {
  readonly question: Q;
  readonly value: FieldValue;
  readonly error: string | undefined;
  /** Names of other people who write in the field. */
  readonly writer: string | undefined;
  readonly onChange: (value: FieldValue) => void;
}

/** The question below its title, its bounds, and the names of other people who write in the field. */
export function Hint({
  question,
  writer,
}: {
  readonly question: ChatInputQuestion;
  readonly writer: string | undefined;
}) {
  const bounds = boundsOf(question);
  return (
    <>
      {question.title !== undefined && <SafeText>{question.message}</SafeText>}
      {bounds !== undefined && (
        <span className="text-faint">
          {question.title === undefined ? '' : ' '}
          {bounds}
        </span>
      )}
      {writer !== undefined && (
        <span className="ms-2 text-accent">{text.questions.writes(visibleText(writer))}</span>
      )}
    </>
  );
}

function boundsOf(question: ChatInputQuestion): string | undefined {
  if (question.kind === 'boolean' || question.kind === 'single-select') return undefined;
  const { min, max } = question;
  const words = {
    text: 'characters',
    number: 'number',
    integer: 'number',
    'multi-select': 'choices',
  } as const;
  return text.questions.bounds(words[question.kind], min, max);
}
