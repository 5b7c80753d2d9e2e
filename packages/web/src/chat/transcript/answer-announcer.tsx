import { useEffect, useState } from 'react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { answerOf } from '../actions/use-turn-actions.tsx';
import { useChatScope } from '../chat-scope.tsx';

/** Characters of an answer that are read out. */
const SPOKEN_LENGTH = 300;

/** Reads a finished answer out once to screen readers: its first characters, without Markdown marks. */
export function AnswerAnnouncer() {
  const { chat } = useChatScope();
  const [spoken, setSpoken] = useState('');
  useEffect(() => {
    let activeId = chat.mirror.state.activeTurn?.id;
    return chat.mirror.onChange(({ activeTurn, turns }) => {
      const last = turns.at(-1);
      if (activeId !== undefined && activeTurn === undefined && last?.id === activeId) {
        const state = {
          complete: text.chat.answer,
          cancelled: text.chat.turnCancelled,
          error: text.chat.turnFailed,
        };
        const answer = answerOf({ chat }, last.id)
          .replaceAll(/[`*_#>|]/g, '')
          .slice(0, SPOKEN_LENGTH);
        setSpoken(`${state[last.state]}: ${visibleText(answer)}`);
      }
      activeId = activeTurn?.id;
    });
  }, [chat]);
  return (
    <div role="status" className="sr-only">
      {spoken}
    </div>
  );
}
