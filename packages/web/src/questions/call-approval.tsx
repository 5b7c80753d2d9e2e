import { offeredOptions, type ToolCallPendingConfirmationState, textOf } from '@agenthost/protocol';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useScope } from '../live/use-scope.ts';
import { text } from '../text/text.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { ApprovalButtons } from './approval-buttons.tsx';
import type { PanelCommand } from './approval-keys.ts';
import type { ApprovalProps } from './approval-props.ts';
import { groupOptions, numbered, type PanelOption } from './confirmation-options.ts';
import { DenyFeedback } from './deny-feedback.tsx';
import { EditedFiles } from './edited-files.tsx';
import { InputEditor } from './input-editor.tsx';
import { usePanelKeys } from './open-panels.ts';
import { PanelFrame } from './panel-frame.tsx';
import { plainText } from './plain-text.ts';
import { Risk } from './risk.tsx';
import { ShownToolInput } from './shown-tool-input.tsx';
import { useAnswer } from './use-answer.ts';
import { useArmed } from './use-armed.ts';
import { useToolInput } from './use-tool-input.ts';

/** Asks whether a tool call may run. */
export function CallApproval({
  link,
  target,
  toolCall,
  turnId,
  mayAct,
  isNested = false,
}: ApprovalProps<ToolCallPendingConfirmationState>) {
  const { toolCallId, displayName, edits, riskAssessment } = toolCall;
  const panel = useRef<HTMLElement>(null);
  const scope = useScope(link);
  const { options, canApprove } = useMemo(() => {
    const offered = offeredOptions(toolCall.options, scope);
    return { ...offered, options: groupOptions(offered.options, offered.canApprove) };
  }, [toolCall.options, scope]);
  // An approval with changes is for one call, never a lasting one.
  const editable = toolCall.editable === true && options.once.length > 0;
  const input = useToolInput(link, toolCall.toolInput);
  const { isSending, send } = useAnswer(target);
  const isArmed = useArmed(toolCallId);
  const [mode, setMode] = useState<'choose' | 'feedback' | { readonly edit: string }>('choose');
  const isInactive = isSending || !isArmed;
  const backToPanel = (): void => {
    setMode('choose');
    panel.current?.focus();
  };

  const call = { type: 'chat/toolCallConfirmed', turnId, toolCallId } as const;
  const selected = (option: PanelOption | undefined) =>
    option?.id === undefined ? {} : { selectedOptionId: option.id };
  const allow = (option: PanelOption | undefined, editedToolInput?: string): void => {
    void send({
      ...call,
      approved: true,
      confirmed: 'user-action',
      ...selected(option),
      ...(editedToolInput === undefined ? {} : { editedToolInput }),
    });
  };
  const deny = (option: PanelOption | undefined, feedback = ''): void => {
    const userSuggestion = { text: feedback, origin: { kind: 'user' as const } };
    void send({
      ...call,
      approved: false,
      reason: 'denied',
      ...selected(option),
      ...(feedback === '' ? {} : { userSuggestion }),
    });
  };
  const edit = useCallback(async () => {
    const raw = await input.load();
    if (raw !== undefined) setMode({ edit: raw });
  }, [input]);

  const run = (command: PanelCommand): boolean => {
    if (!mayAct || isInactive || mode !== 'choose') return false;
    if (command === 'edit') {
      if (editable) void edit();
      return editable;
    }
    if (command === 'allow') {
      // A lasting approval is never given by one key for "yes".
      if (options.once[0] === undefined) return false;
      allow(options.once[0]);
      return true;
    }
    if (command === 'deny') {
      deny(options.deny[0]);
      return true;
    }
    const option = numbered(options)[command.option];
    if (option === undefined) return false;
    if (options.deny.includes(option)) deny(option);
    else allow(option);
    return true;
  };
  usePanelKeys(panel, run);

  const title = plainText(toolCall.confirmationTitle ?? text.questions.allowTitle(displayName));
  const effect = plainText(toolCall.invocationMessage);
  return (
    <PanelFrame
      panel={panel}
      ask={toolCallId}
      isNested={isNested}
      title={title}
      intention={toolCall.intention}
    >
      {textOf(toolCall.invocationMessage) !== '' && !title.startsWith(effect) && (
        <p className="max-h-[40vh] overflow-y-auto text-sm wrap-anywhere">
          <SafeText>{effect}</SafeText>
        </p>
      )}
      {typeof mode === 'string' && edits === undefined && <ShownToolInput input={input} name={displayName} />}
      {edits !== undefined && <EditedFiles link={link} edits={edits.items} />}
      {riskAssessment !== undefined && <Risk assessment={riskAssessment} />}
      {!mayAct && <p className="text-xs text-muted">{text.questions.readOnly}</p>}
      {mayAct && !canApprove && <p className="text-xs text-muted">{text.questions.denyOnly}</p>}
      {mayAct && mode === 'choose' && (
        <ApprovalButtons
          options={options}
          isInactive={isInactive}
          isEditable={editable}
          onAllow={allow}
          onDeny={deny}
          onEdit={() => !isInactive && void edit()}
          onFeedback={() => !isInactive && setMode('feedback')}
        />
      )}
      {mode === 'feedback' && (
        <DenyFeedback
          isSending={isSending}
          onDeny={(feedback) => deny(options.deny[0], feedback)}
          onCancel={backToPanel}
        />
      )}
      {typeof mode === 'object' && (
        <InputEditor
          raw={mode.edit}
          isSending={isSending}
          onApprove={(edited) => allow(options.once[0], edited === mode.edit ? undefined : edited)}
          onCancel={backToPanel}
        />
      )}
      {mayAct && mode === 'choose' && (
        <p aria-hidden className="text-xs text-faint in-data-focused-keys:hidden touch:hidden">
          {text.questions.keys(editable)}
        </p>
      )}
    </PanelFrame>
  );
}
