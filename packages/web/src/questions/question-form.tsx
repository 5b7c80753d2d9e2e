import type { ChatInputAnswer, ChatInputQuestion, ChatInputRequest } from '@agenthost/protocol';
import { checkAnswered } from '@agenthost/protocol';
import { MessageCircleQuestion } from 'lucide-react';
import { type FormEvent, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { clientName } from '../presence/client-name.ts';
import { usePresence, usePresentHere } from '../presence/use-presence.ts';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { AnswerDrafts } from './answer-drafts.ts';
import { answerValueOf, type FieldProblem, fieldOf, problemOf } from './answer-fields.ts';
import { QuestionField } from './question-field.tsx';
import type { QuestionTarget } from './question-target.ts';
import { UrlToOpen } from './url-to-open.tsx';
import { useAnswer } from './use-answer.ts';
import { useArmed } from './use-armed.ts';
import { useShowStart } from './use-show-start.ts';
import { ASK_ATTRIBUTE } from './waiting-questions.ts';

interface QuestionFormProps {
  readonly link: HostLink;
  readonly target: QuestionTarget;
  readonly request: ChatInputRequest;
  /** False: the questions and what others enter are shown, without a way to answer. */
  readonly mayAct: boolean;
}

/** Questions of an agent as a form that several people can fill in together [CHAT-13]. */
export function QuestionForm(props: QuestionFormProps) {
  return <OpenForm key={`${props.target.uri} ${props.request.id}`} {...props} />;
}

function OpenForm({ link, target, request, mayAct }: QuestionFormProps) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const { questions = [], url } = request;
  const { isSending, send } = useAnswer(target);
  const isArmed = useArmed(request.id);
  useShowStart(request.id, form);
  const isInactive = isSending || !isArmed;
  const [isChecked, setChecked] = useState(false);
  const [focused, setFocused] = useState<string>();
  const [drafts] = useState(
    () =>
      new AnswerDrafts(request, (questionId, answer) =>
        target.dispatch({
          type: 'chat/inputAnswerChanged',
          requestId: request.id,
          questionId,
          ...(answer === undefined ? {} : { answer }),
        }),
      ),
  );
  const fields = useSyncExternalStore(drafts.onChange, () => drafts.fields);
  useEffect(() => drafts.update(request), [drafts, request]);
  useEffect(() => () => drafts.flush(), [drafts]);
  usePresentHere(link, {
    typing:
      mayAct && focused !== undefined
        ? { chat: target.uri, requestId: request.id, questionId: focused }
        : undefined,
  });
  const own = link.client?.clientId;
  const others = usePresence(link).filter(
    ({ clientId, typing }) => clientId !== own && typing?.requestId === request.id,
  );

  const valueOf = (question: ChatInputQuestion) => fields.get(question.id) ?? fieldOf(question, undefined);
  const close = (
    response: 'accept' | 'decline' | 'cancel',
    answers: Record<string, ChatInputAnswer> = {},
  ) => {
    if (isInactive) return;
    drafts.stop();
    const given = Object.keys(answers).length === 0 ? {} : { answers };
    void send({ type: 'chat/inputCompleted', requestId: request.id, response, ...given });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setChecked(true);
    const answers = Object.fromEntries(
      questions.map((question): [string, ChatInputAnswer] => {
        const value = answerValueOf(question, valueOf(question));
        return [question.id, value === undefined ? { state: 'skipped' } : { state: 'submitted', value }];
      }),
    );
    const wrong = questions.find((question) => problemOf(question, valueOf(question)) !== undefined);
    if (wrong === undefined && checkAnswered(request, answers) === undefined) return close('accept', answers);
    const place = form.current?.querySelector(`[data-question="${CSS.escape(wrong?.id ?? '')}"]`);
    place?.querySelector<HTMLElement>('input, textarea, select')?.focus();
  };

  return (
    <form
      ref={form}
      {...{ [ASK_ATTRIBUTE]: request.id }}
      tabIndex={-1}
      noValidate
      aria-labelledby={id}
      onSubmit={submit}
      className="flex scroll-my-4 flex-col gap-4 rounded-xl border border-accent/50 bg-raised p-3.5 shadow-sm"
    >
      <header className="flex items-start gap-2.5">
        <MessageCircleQuestion className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden />
        <h3 id={id} className="min-w-0 flex-1 text-sm font-semibold whitespace-pre-line wrap-anywhere">
          <SafeText>{request.message ?? text.questions.formTitle(questions.length)}</SafeText>
        </h3>
      </header>
      {url !== undefined && <UrlToOpen url={url} />}
      <fieldset disabled={!mayAct} className="contents">
        {questions.map((question) => {
          const problem = isChecked ? problemOf(question, valueOf(question)) : undefined;
          const writer = others.find(({ typing }) => typing?.questionId === question.id);
          return (
            <div
              key={question.id}
              data-question={question.id}
              onFocus={() => {
                setFocused(question.id);
                drafts.focus(question.id);
              }}
              onBlur={(event) => {
                if (event.currentTarget.contains(event.relatedTarget)) return;
                setFocused(undefined);
                drafts.flush();
                drafts.focus(undefined);
              }}
            >
              <QuestionField
                question={question}
                value={valueOf(question)}
                error={problem && problemText(problem)}
                writer={writer && clientName(writer, own)}
                onChange={(value) => drafts.edit(question, value)}
              />
            </div>
          );
        })}
      </fieldset>
      {mayAct ? (
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" aria-disabled={isInactive}>
            {url !== undefined && questions.length === 0 ? text.questions.done : text.questions.submit}
          </Button>
          <Button aria-disabled={isInactive} onClick={() => close('decline')}>
            {text.questions.decline}
          </Button>
          <Button look="ghost" aria-disabled={isInactive} onClick={() => close('cancel')}>
            {text.questions.dismiss}
          </Button>
        </div>
      ) : (
        <p className="text-xs text-muted">{text.questions.readOnly}</p>
      )}
    </form>
  );
}

function problemText(problem: FieldProblem): string {
  if (problem === 'notNumber') return text.questions.notNumber;
  if (problem === 'unanswered') return text.questions.unanswered;
  return visibleText(problem.reason);
}
