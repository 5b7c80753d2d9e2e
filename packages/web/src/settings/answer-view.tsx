import type { ReactNode } from 'react';
import { settingsText } from '../text/settings-text.ts';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Spinner } from '../ui/states.tsx';
import { Note } from './panel.tsx';
import type { HostAnswer } from './use-host-answer.ts';

/** The answer of a host, or a spinner until it arrives, or why it failed. */
export function AnswerView<T>({
  answer,
  children,
}: {
  readonly answer: HostAnswer<T>;
  readonly children: (value: T) => ReactNode;
}) {
  const { value, problem, isAsking, reload } = answer;
  return (
    <>
      {problem !== undefined && (
        <Note tone="danger">
          <p role="alert">{settingsText.askFailed(problem)}</p>
          <Button size="small" className="self-start" onClick={() => void reload()}>
            {text.ui.tryAgain}
          </Button>
        </Note>
      )}
      {value !== undefined && children(value)}
      {value === undefined && problem === undefined && (
        <div className="flex min-h-16 items-center justify-center">
          {isAsking ? <Spinner /> : <p className="text-sm text-muted">{settingsText.hostAway}</p>}
        </div>
      )}
    </>
  );
}
