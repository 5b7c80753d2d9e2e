import {
  authorName,
  type ChatInputAnswer,
  type ChatInputQuestion,
  type InputRequestResponsePart,
} from '@agenthost/protocol';
import { CircleCheck, CircleHelp, CircleX } from 'lucide-react';
import { useSelected } from '../../live/use-live.ts';
import { QuestionForm } from '../../questions/question-form.tsx';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { SafeText } from '../../ui/safe-text.tsx';
import { useChatScope } from '../chat-scope.tsx';

/** An input request: the form while it is open, afterwards the answers. */
export function InputRequestPart({
  part,
  turnId,
}: {
  readonly part: InputRequestResponsePart;
  readonly turnId: string;
}) {
  const { link, chat, target, mayAct } = useChatScope();
  const isActive = useSelected(chat.mirror, ({ activeTurn }) => activeTurn?.id === turnId);
  if (part.response === undefined && isActive)
    return (
      <div className="py-1.5" data-ask={part.request.id}>
        <QuestionForm link={link} target={target} request={part.request} mayAct={mayAct} />
      </div>
    );
  return <AnsweredRequest part={part} />;
}

function AnsweredRequest({ part }: { readonly part: InputRequestResponsePart }) {
  const { request, response } = part;
  const by = part['x-answeredBy'];
  const isAccepted = response === 'accept';
  const Icon = isAccepted ? CircleCheck : response === undefined ? CircleHelp : CircleX;
  const state =
    response === undefined
      ? text.chat.unanswered
      : { accept: text.chat.answered, decline: text.chat.declined, cancel: text.chat.dismissed }[response];
  return (
    <div className="my-1.5 rounded-xl border border-line px-3.5 py-2.5 text-sm">
      <p className="flex flex-wrap items-center gap-x-2 text-muted">
        <Icon className={isAccepted ? 'size-4 text-ok' : 'size-4'} aria-hidden />
        <span className="font-medium text-text">{state}</span>
        {by !== undefined && <SafeText>{text.chat.answeredBy(authorName(by))}</SafeText>}
      </p>
      {request.message !== undefined && (
        <p dir="auto" className="mt-1 break-words text-muted">
          {visibleText(request.message)}
        </p>
      )}
      {isAccepted && (request.questions ?? []).length > 0 && (
        <dl className="mt-2 grid grid-cols-1 gap-x-4 gap-y-1 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
          {(request.questions ?? []).map((question) => (
            <div key={question.id} className="contents">
              <dt dir="auto" className="break-words text-muted">
                {visibleText(question.title ?? question.message)}
              </dt>
              <dd dir="auto" className="mb-1 font-medium break-words sm:mb-0">
                {visibleText(answerText(question, request.answers?.[question.id]))}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

/** An answer as one line. */
function answerText(question: ChatInputQuestion, answer: ChatInputAnswer | undefined): string {
  if (answer === undefined) return text.chat.noAnswer;
  if (answer.state === 'skipped') return text.chat.skippedAnswer;
  const { value } = answer;
  const labelOf = (id: string): string =>
    ('options' in question ? question.options.find((option) => option.id === id)?.label : undefined) ?? id;
  switch (value.kind) {
    case 'text':
      return value.value;
    case 'number':
      return String(value.value);
    case 'boolean':
      return value.value ? text.chat.yes : text.chat.no;
    case 'selected':
      return [...(value.value === '' ? [] : [labelOf(value.value)]), ...(value.freeformValues ?? [])].join(
        ', ',
      );
    case 'selected-many':
      return [...value.value.map(labelOf), ...(value.freeformValues ?? [])].join(', ');
    default:
      return value satisfies never;
  }
}
