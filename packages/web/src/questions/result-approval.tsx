import type { ToolCallPendingResultConfirmationState } from '@agenthost/protocol';
import { useRef } from 'react';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { AnsweredBy } from './answered-by.tsx';
import type { ApprovalProps } from './approval-props.ts';
import { usePanelKeys } from './open-panels.ts';
import { PanelFrame } from './panel-frame.tsx';
import { plainText } from './plain-text.ts';
import { useAnswer } from './use-answer.ts';
import { useArmed } from './use-armed.ts';

/** Asks whether the agent may see the result of a tool call. */
export function ResultApproval({
  link,
  target,
  toolCall,
  turnId,
  mayAct,
  isNested = false,
}: ApprovalProps<ToolCallPendingResultConfirmationState>) {
  const { toolCallId, displayName, content = [] } = toolCall;
  const panel = useRef<HTMLElement>(null);
  const { isSending, send } = useAnswer(target);
  const isArmed = useArmed(toolCallId);
  const isInactive = isSending || !isArmed;
  const answer = (approved: boolean): void => {
    if (!isInactive) void send({ type: 'chat/toolCallResultConfirmed', turnId, toolCallId, approved });
  };
  usePanelKeys(panel, (command) => {
    if (!mayAct || isInactive || command === 'edit') return false;
    const isAllow = command === 'allow' || (typeof command === 'object' && command.option === 0);
    const isDeny = command === 'deny' || (typeof command === 'object' && command.option === 1);
    if (isAllow || isDeny) answer(isAllow);
    return isAllow || isDeny;
  });
  const shown = content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();
  return (
    <PanelFrame
      panel={panel}
      ask={toolCallId}
      isNested={isNested}
      title={text.questions.resultTitle(displayName)}
      intention={plainText(toolCall.pastTenseMessage)}
    >
      {shown !== '' && (
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
          tabIndex={0}
          aria-label={text.questions.resultOf(visibleText(displayName))}
          className="max-h-56 overflow-auto rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-[0.8125rem] whitespace-pre-wrap wrap-anywhere"
          dir="auto"
        >
          {visibleText(shown)}
        </pre>
      )}
      {mayAct ? (
        <div className="flex flex-wrap items-center gap-2">
          <Button look="primary" aria-disabled={isInactive} onClick={() => answer(true)}>
            {text.questions.allowResult}
          </Button>
          <Button aria-disabled={isInactive} onClick={() => answer(false)}>
            {text.questions.denyResult}
          </Button>
        </div>
      ) : (
        <p className="text-xs text-muted">{text.questions.readOnly}</p>
      )}
      <AnsweredBy link={link} author={toolCall['x-answeredBy']} />
    </PanelFrame>
  );
}
