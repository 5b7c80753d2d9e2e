import { MessageSquareReply, Pencil } from 'lucide-react';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { numbered, type PanelOption, type PanelOptions } from './confirmation-options.ts';

/** The answers of an approval panel: first for this call, then to deny; lasting ones are apart below. */
export function ApprovalButtons({
  options,
  isInactive,
  isEditable,
  onAllow,
  onDeny,
  onEdit,
  onFeedback,
}: {
  readonly options: PanelOptions;
  readonly isInactive: boolean;
  readonly isEditable: boolean;
  readonly onAllow: (option: PanelOption) => void;
  readonly onDeny: (option: PanelOption) => void;
  readonly onEdit: () => void;
  readonly onFeedback: () => void;
}) {
  const order = numbered(options);
  const button = (option: PanelOption, kind: 'allow' | 'deny' | 'lasting', isFirst: boolean) => (
    <OptionButton
      key={option.id ?? kind}
      option={option}
      kind={kind}
      isFirst={isFirst}
      isInactive={isInactive}
      number={order.length > 2 ? order.indexOf(option) + 1 : undefined}
      onChoose={kind === 'deny' ? onDeny : onAllow}
    />
  );
  return (
    <div className="flex flex-col gap-2.5">
      <div className="flex flex-wrap gap-2">
        {options.once.map((option, index) => button(option, 'allow', index === 0))}
        {options.deny.map((option) => button(option, 'deny', false))}
        <div className="flex max-sm:w-full sm:ms-auto">
          {isEditable && (
            <Button look="ghost" aria-disabled={isInactive} onClick={onEdit} title={text.questions.editHint}>
              <Pencil className="size-3.5" aria-hidden />
              {text.questions.edit}
            </Button>
          )}
          <Button look="ghost" aria-disabled={isInactive} onClick={onFeedback}>
            <MessageSquareReply className="size-3.5" aria-hidden />
            {text.questions.instead}
          </Button>
        </div>
      </div>
      {options.lasting.length > 0 && (
        <div role="group" aria-label={text.questions.lasting} className="flex flex-col gap-1.5">
          <p className="text-xs text-muted">{text.questions.lasting}</p>
          <div className="flex flex-wrap gap-2">
            {options.lasting.map((option) => button(option, 'lasting', false))}
          </div>
        </div>
      )}
    </div>
  );
}

function OptionButton({
  option,
  kind,
  isFirst,
  isInactive,
  number,
  onChoose,
}: {
  readonly option: PanelOption;
  readonly kind: 'allow' | 'deny' | 'lasting';
  readonly isFirst: boolean;
  readonly isInactive: boolean;
  readonly number: number | undefined;
  readonly onChoose: (option: PanelOption) => void;
}) {
  const word = kind === 'deny' ? text.questions.deny : text.questions.allow;
  return (
    <Button
      look={isFirst ? 'primary' : 'plain'}
      size={kind === 'lasting' ? 'small' : 'normal'}
      aria-disabled={isInactive}
      aria-keyshortcuts={number === undefined || number > 9 ? undefined : String(number)}
      className={classes(
        'h-auto min-h-9 max-w-full shrink py-1 text-start wrap-anywhere whitespace-normal touch:min-h-11',
        // On a phone the answers fill the width, within reach of either thumb.
        kind === 'lasting' ? 'max-sm:w-full max-sm:justify-start' : 'max-sm:grow',
      )}
      onClick={() => !isInactive && onChoose(option)}
    >
      {option.label === undefined ? word : visibleText(option.label)}
      {number !== undefined && number <= 9 && (
        <kbd aria-hidden className="font-sans text-xs opacity-60 touch:hidden">
          {number}
        </kbd>
      )}
    </Button>
  );
}
