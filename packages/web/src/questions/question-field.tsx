import { text } from '../text/text.ts';
import { Field, TextArea, TextInput } from '../ui/field.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { ChoiceField } from './choice-field.tsx';
import { Hint, type QuestionFieldProps } from './question-hint.tsx';

const INPUT_TYPES: Readonly<Record<string, string>> = { email: 'email', uri: 'url', date: 'date' };

/** Texts that may be longer get a field of several lines. */
const LONG_TEXT = 120;

/** The control for one question. */
export function QuestionField(props: QuestionFieldProps) {
  const { question, value, error, writer, onChange } = props;
  switch (question.kind) {
    case 'boolean':
      return (
        <ChoiceField
          {...props}
          options={[
            { id: 'yes', label: text.questions.yes },
            { id: 'no', label: text.questions.no },
          ]}
          isMany={false}
          allowsOwn={false}
        />
      );
    case 'single-select':
    case 'multi-select':
      return (
        <ChoiceField
          {...props}
          options={question.options}
          isMany={question.kind === 'multi-select'}
          allowsOwn={question.allowFreeformInput === true}
        />
      );
    case 'text':
    case 'number':
    case 'integer': {
      const change = (typed: string): void => onChange({ ...value, typed });
      const isLong =
        question.kind === 'text' &&
        question.format === undefined &&
        (question.max === undefined || question.max > LONG_TEXT);
      return (
        <Field
          label={<SafeText>{question.title ?? question.message}</SafeText>}
          description={<Hint question={question} writer={writer} />}
          error={error}
          isRequired={question.required === true}
        >
          {(attributes) =>
            isLong ? (
              <TextArea
                {...attributes}
                rows={2}
                dir="auto"
                value={value.typed}
                aria-required={question.required === true}
                onChange={(event) => change(event.target.value)}
              />
            ) : (
              <TextInput
                {...attributes}
                dir="auto"
                type={question.kind === 'text' ? (INPUT_TYPES[question.format ?? ''] ?? 'text') : 'text'}
                inputMode={
                  question.kind === 'integer' ? 'numeric' : question.kind === 'number' ? 'decimal' : undefined
                }
                autoComplete="off"
                value={value.typed}
                aria-required={question.required === true}
                onChange={(event) => change(event.target.value)}
              />
            )
          }
        </Field>
      );
    }
    default:
      return question satisfies never;
  }
}
