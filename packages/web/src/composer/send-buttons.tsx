import { ArrowUp, ChevronDown, ListPlus, Navigation, Square } from 'lucide-react';
import { text } from '../text/text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';

/** Send; while a turn runs queue or steer, and stop. */
export function SendButtons({
  isRunning,
  isEmpty,
  onSend,
  onSteer,
  onStop,
}: {
  readonly isRunning: boolean;
  readonly isEmpty: boolean;
  readonly onSend: () => void;
  readonly onSteer: () => void;
  readonly onStop: () => void;
}) {
  if (!isRunning) {
    return (
      <IconButton
        label={text.composer.send}
        look="primary"
        className="rounded-full!"
        disabled={isEmpty}
        onClick={onSend}
      >
        <ArrowUp className="size-4.5" aria-hidden />
      </IconButton>
    );
  }
  return (
    <div className="flex items-center gap-1.5">
      {!isEmpty && (
        <span className="flex">
          <Button
            look="primary"
            className="rounded-e-none pe-2.5"
            onClick={onSend}
            title={text.composer.queueHint}
          >
            <ListPlus className="size-4" aria-hidden />
            {text.composer.queue}
          </Button>
          <Menu
            entries={[
              {
                label: text.composer.queue,
                icon: <ListPlus className="size-4" />,
                keys: '↵',
                onSelect: onSend,
              },
              {
                label: text.composer.steer,
                icon: <Navigation className="size-4" />,
                keys: 'Alt ↵',
                onSelect: onSteer,
              },
            ]}
          >
            <IconButton
              label={text.composer.otherWays}
              look="primary"
              className="w-8 rounded-s-none border-s border-on-accent/30"
            >
              <ChevronDown className="size-4" aria-hidden />
            </IconButton>
          </Menu>
        </span>
      )}
      <IconButton label={text.composer.stop} look="plain" className="rounded-full!" onClick={onStop}>
        <Square className="size-3.5 fill-current" aria-hidden />
      </IconButton>
    </div>
  );
}
