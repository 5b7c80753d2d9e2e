import { isSameQuestion, type TurnControls } from '@agenthost/client';
import type { ToolCallConfirmationState } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type AskedToolCall, canAllowOnce, choicesFor } from '../../question/confirmation.ts';
import { type Environment, tellFailure } from '../app/environment.ts';
import type { Panel } from '../app/panel.ts';
import { type Editor, EMPTY_EDITOR, edited, editorOf, insert, movedByLine } from '../composer/editor.ts';
import type { KeyContext } from '../keys/bindings.ts';
import type { KeyEvent } from '../keys/key-event.ts';
import { type ApprovalView, approvalLines, fitted, TOO_SMALL, tooSmall } from './approval-lines.ts';
import type { PanelLines, PanelRoom } from './form-lines.ts';

/** Answers one tool call that waits. */
export class ApprovalPanel implements Panel {
  readonly #env: Environment;
  readonly #chat: TurnControls;
  #toolCall: AskedToolCall;
  #choice = 0;
  #mode: ApprovalView['mode'] = 'choose';
  #editor: Editor = EMPTY_EDITOR;
  #isExpanded = false;
  /** The question was visible in the last frame. */
  #isAskedInSight = true;

  constructor(env: Environment, chat: TurnControls, toolCall: AskedToolCall) {
    this.#env = env;
    this.#chat = chat;
    this.#toolCall = toolCall;
  }

  get context(): KeyContext {
    if (this.#mode === 'reason') return 'reason';
    return this.#mode === 'edit' ? 'editInput' : 'approval';
  }

  /** The call has changed. Choice and text belong to the earlier question and are dropped. */
  update(toolCall: AskedToolCall): void {
    if (!isSameQuestion(toolCall, this.#toolCall)) {
      this.#mode = 'choose';
      this.#choice = 0;
      this.#editor = EMPTY_EDITOR;
    }
    this.#toolCall = toolCall;
    this.#choice = Math.min(this.#choice, choicesFor(toolCall).length - 1);
  }

  conditions(): readonly string[] {
    const isPending = this.#toolCall.status === 'pending-confirmation';
    return [
      ...(canAllowOnce(this.#toolCall) ? ['canAllowOnce'] : []),
      ...(isPending ? ['takesReason'] : []),
      ...(this.#toolCall.status === 'pending-confirmation' &&
      this.#toolCall.editable === true &&
      this.#toolCall.isDenyOnly !== true
        ? ['isEditable']
        : []),
    ];
  }

  lines(width: number, { isFocused, height }: PanelRoom): PanelLines {
    const view: ApprovalView = {
      toolCall: this.#toolCall,
      choice: this.#choice,
      mode: this.#mode,
      editor: this.#editor,
      isExpanded: this.#isExpanded,
    };
    const shown = fitted(approvalLines(view, width, { marks: this.#env.marks, isFocused }), height);
    this.#isAskedInSight = shown !== undefined;
    return shown ?? tooSmall(width, height);
  }

  run(command: string): void {
    const choices = choicesFor(this.#toolCall);
    switch (command) {
      case 'up':
      case 'down':
        if (this.#mode === 'choose')
          this.#choice = Math.max(
            0,
            Math.min(choices.length - 1, this.#choice + (command === 'up' ? -1 : 1)),
          );
        else this.#editor = movedByLine(this.#editor, command === 'up' ? -1 : 1) ?? this.#editor;
        return;
      case 'answer': {
        const choice = choices[this.#choice];
        if (choice !== undefined) this.#answer(choice.isApproval, defined({ optionId: choice.optionId }));
        return;
      }
      case 'allow':
        return this.#answer(true, {});
      case 'deny':
        return this.#answer(false, {});
      case 'reason':
        this.#mode = 'reason';
        this.#editor = EMPTY_EDITOR;
        return;
      case 'edit':
        this.#mode = 'edit';
        this.#editor = { text: inlineInput(this.#toolCall) ?? '', cursor: 0 };
        return;
      case 'expand':
        this.#isExpanded = !this.#isExpanded;
        return;
      case 'newline':
        this.#editor = insert(this.#editor, '\n');
        return;
      case 'cancel':
        this.#mode = 'choose';
        return;
      case 'submit':
        return this.#submit();
      default:
    }
  }

  type(event: KeyEvent): void {
    if (this.#mode === 'choose') return;
    this.#editor =
      'text' in event ? insert(this.#editor, event.text) : (edited(this.#editor, event.key) ?? this.#editor);
  }

  paste(text: string): void {
    if (this.#mode !== 'choose') this.#editor = insert(this.#editor, text.replace(/\r\n?/g, '\n'));
  }

  #submit(): void {
    const { text } = this.#editor;
    if (this.#mode === 'reason')
      this.#answer(false, text.trim() === '' ? {} : { reasonMessage: text.trim() });
    else this.#answer(true, text === this.#toolCall.toolInput ? {} : { editedToolInput: text });
    this.#mode = 'choose';
    this.#editor = editorOf('');
  }

  #answer(
    isApproval: boolean,
    more: { optionId?: string; editedToolInput?: string; reasonMessage?: string },
  ): void {
    // A question that is not visible cannot be approved.
    if (isApproval && !this.#isAskedInSight) return this.#env.notice(TOO_SMALL, 'problem');
    const { toolCallId, status } = this.#toolCall;
    const { optionId, editedToolInput, reasonMessage } = more;
    const option = defined({ optionId });
    const answered =
      status === 'pending-result-confirmation'
        ? this.#chat.confirmResult(toolCallId, isApproval)
        : isApproval
          ? this.#chat.approve(toolCallId, {
              ...option,
              ...defined({ editedToolInput }),
            })
          : this.#chat.deny(toolCallId, {
              ...option,
              ...defined({ reasonMessage }),
            });
    tellFailure(this.#env, 'not answered', answered);
  }
}

/** The input that can be edited here; `undefined`: none, or a large one by reference. */
const inlineInput = ({ toolInput }: ToolCallConfirmationState): string | undefined =>
  typeof toolInput === 'string' ? toolInput : undefined;
