import type { ChatHandle } from '@agenthost/client';
import type { ChatState, SessionModelInfo, UsageInfo } from '@agenthost/protocol';
import { useSelected } from '../../live/use-live.ts';
import { language, text } from '../../text/text.ts';
import { classes } from '../../ui/class-names.ts';
import { Tooltip } from '../../ui/tooltip.tsx';

const RADIUS = 7;
const LENGTH = 2 * Math.PI * RADIUS;

/** From this share on the ring warns. */
const NEARLY_FULL = 0.85;

const whole = new Intl.NumberFormat(language);
const percent = new Intl.NumberFormat(language, { style: 'percent' });

const lastUsage = ({ activeTurn, turns }: ChatState): UsageInfo | undefined =>
  activeTurn?.usage ?? turns.at(-1)?.usage;

/** How much of the model's context the last turn used. Nothing when it is unknown. */
export function ContextRing({
  chat,
  models,
  selected,
}: {
  readonly chat: ChatHandle;
  readonly models: readonly SessionModelInfo[];
  readonly selected: SessionModelInfo | undefined;
}) {
  const usage = useSelected(chat.mirror, lastUsage);
  const model = models.find(({ id }) => id === usage?.model) ?? selected;
  const used = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  const most = model?.maxContextWindow ?? 0;
  if (used === 0 || most === 0) return null;
  const share = Math.min(1, used / most);
  const label = text.composer.contextUsed(percent.format(share), whole.format(used), whole.format(most));
  return (
    <Tooltip label={label}>
      <span role="img" aria-label={label} className="flex size-7 shrink-0 items-center justify-center">
        <svg viewBox="0 0 20 20" className="size-5 -rotate-90" aria-hidden>
          <circle cx="10" cy="10" r={RADIUS} fill="none" strokeWidth="2.5" className="stroke-line-strong" />
          <circle
            cx="10"
            cy="10"
            r={RADIUS}
            fill="none"
            strokeWidth="2.5"
            strokeLinecap="round"
            strokeDasharray={`${share * LENGTH} ${LENGTH}`}
            className={classes(share >= NEARLY_FULL ? 'stroke-warn' : 'stroke-accent')}
          />
        </svg>
      </span>
    </Tooltip>
  );
}
