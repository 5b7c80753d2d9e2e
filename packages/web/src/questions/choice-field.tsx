import type { ChatInputOption } from '@agenthost/protocol';
import { useId } from 'react';
import { text } from '../text/text.ts';
import { classes } from '../ui/class-names.ts';
import { TextInput } from '../ui/field.tsx';
import { FieldError } from '../ui/field-error.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { Hint, type QuestionFieldProps } from './question-hint.tsx';

/** One or several of some options, and own words where the question allows them. */
export function ChoiceField({
  question,
  value,
  error,
  writer,
  onChange,
  options,
  isMany,
  allowsOwn,
}: QuestionFieldProps & {
  readonly options: readonly ChatInputOption[];
  readonly isMany: boolean;
  readonly allowsOwn: boolean;
}) {
  const id = useId();
  const choose = (option: string, isChosen: boolean): void => {
    if (!isMany) return onChange({ ...value, chosen: [option], own: '' });
    const others = value.chosen.filter((each) => each !== option);
    onChange({ ...value, chosen: isChosen ? [...others, option] : others });
  };
  return (
    <fieldset
      role={isMany ? 'group' : 'radiogroup'}
      aria-describedby={classes(`${id}-hint`, error !== undefined && `${id}-error`)}
      aria-invalid={error === undefined ? undefined : true}
      className="flex flex-col gap-1.5"
    >
      <legend className="mb-1 text-sm font-medium">
        <SafeText>{question.title ?? question.message}</SafeText>
        {question.required === true && <span aria-hidden> *</span>}
      </legend>
      <p id={`${id}-hint`} className="text-xs text-muted empty:hidden">
        <Hint question={question} writer={writer} />
      </p>
      <div className={classes('flex gap-1.5', question.kind === 'boolean' ? 'flex-row' : 'flex-col')}>
        {options.map((option) => {
          const isChosen = value.chosen.includes(option.id);
          return (
            <label
              key={option.id}
              className={classes(
                'flex min-h-9 cursor-pointer items-start gap-2.5 rounded-lg border px-3 py-1.5 text-sm touch:min-h-11 touch:items-center',
                isChosen ? 'border-accent bg-accent-soft' : 'border-line hover:bg-hover',
              )}
            >
              <input
                type={isMany ? 'checkbox' : 'radio'}
                name={id}
                checked={isChosen}
                onChange={(event) => choose(option.id, event.target.checked)}
                className="mt-1 size-4 shrink-0 accent-accent touch:mt-0"
              />
              <span className="min-w-0 wrap-anywhere">
                <SafeText>{option.label}</SafeText>
                {option.recommended === true && (
                  <span className="ms-2 text-xs text-muted">{text.questions.recommended}</span>
                )}
                {option.description !== undefined && (
                  <span className="block text-xs text-muted">
                    <SafeText>{option.description}</SafeText>
                  </span>
                )}
              </span>
            </label>
          );
        })}
      </div>
      {allowsOwn && (
        <TextInput
          dir="auto"
          aria-label={text.questions.ownAnswer}
          placeholder={text.questions.ownAnswer}
          value={value.own}
          onChange={(event) =>
            onChange({ ...value, own: event.target.value, ...(isMany ? {} : { chosen: [] }) })
          }
        />
      )}
      <FieldError id={`${id}-error`} error={error} />
    </fieldset>
  );
}
