import {
  ACTIVITY_MASK,
  type ChatState,
  errorPartOf,
  SessionStatus,
  type Turn,
  type UsageInfo,
} from '@agenthost/protocol';
import {
  CircleAlert,
  CircleDot,
  Clock,
  CloudOff,
  Copy,
  Ellipsis,
  type LucideIcon,
  Square,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useLinkStatus } from '../../live/use-hosts.ts';
import { useSelected } from '../../live/use-live.ts';
import { TraceButton } from '../../telemetry/trace-button.tsx';
import { durationText } from '../../text/format.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { Spinner } from '../../ui/states.tsx';
import { HOVER_ACTIONS } from '../actions/hover-actions.ts';
import { RestoreChoice } from '../actions/restore-choice.tsx';
import { turnMenu, useTurnActions } from '../actions/use-turn-actions.tsx';
import { useChatScope } from '../chat-scope.tsx';
import { Elapsed } from './elapsed.tsx';
import { TurnChanges } from './turn-changes.tsx';
import { TurnError } from './turn-error.tsx';
import { usageFacts } from './usage-facts.ts';
import { useIsUnsent, useTurnPart } from './use-part.ts';

const TraceDialog = lazy(async () => ({
  default: (await import('../../telemetry/trace-dialog.tsx')).TraceDialog,
}));

/** The end of a turn: that it runs, or how it ended, with its numbers and actions. */
export function TurnEnd({ turnId }: { readonly turnId: string }) {
  const ended = useTurnPart(turnId, (turn) => (turn !== undefined && 'state' in turn ? turn : undefined));
  const startedAt = useTurnPart(turnId, (turn) => turn?.startedAt);
  const { link, chat } = useChatScope();
  const isUnsent = useIsUnsent(turnId);
  // The dialog is here and not in the button, because it stays open when the turn ends.
  const [isTracing, setTracing] = useState(false);
  if (isUnsent && ended === undefined) return <Note icon={Clock}>{text.chat.unsent}</Note>;
  const onTrace = (): void => setTracing(true);
  return (
    <>
      {ended === undefined ? (
        <RunningTurn startedAt={startedAt} onTrace={onTrace} />
      ) : (
        <EndedTurn turn={ended} onTrace={onTrace} />
      )}
      {isTracing && (
        <Suspense>
          <TraceDialog link={link} chat={chat} turnId={turnId} onClose={() => setTracing(false)} />
        </Suspense>
      )}
    </>
  );
}

function Note({ icon: Icon, children }: { readonly icon: LucideIcon; readonly children: string }) {
  return (
    <p className="flex min-h-9 items-center gap-2 py-2 text-sm text-muted">
      <Icon className="size-4" aria-hidden />
      {children}
    </p>
  );
}

const needsInput = ({ status }: ChatState): boolean => (status & ACTIVITY_MASK) === SessionStatus.InputNeeded;

function RunningTurn({
  startedAt,
  onTrace,
}: {
  readonly startedAt: string | undefined;
  readonly onTrace: () => void;
}) {
  const { link, chat } = useChatScope();
  const isAway = useLinkStatus(link).state === 'away';
  const activity = useSelected(chat.mirror, (state) => state.activity);
  const isWaiting = useSelected(chat.mirror, needsInput);
  if (isWaiting)
    return (
      <p className="flex min-h-9 items-center gap-2 py-2 text-sm text-muted" data-running>
        <CircleDot className="size-4 text-warn" aria-hidden />
        {text.chat.waitsForYou}
        <TraceButton onOpen={onTrace} />
      </p>
    );
  if (isAway)
    return needsInput(chat.mirror.confirmed) ? (
      <Note icon={Clock}>{text.chat.answerUnsent}</Note>
    ) : (
      <Note icon={CloudOff}>{text.chat.workingBefore}</Note>
    );
  return (
    <div className="flex min-h-9 items-center gap-2 py-2 text-sm text-muted" data-running>
      <Spinner label={text.chat.working} className="text-accent" />
      <span className="min-w-0 truncate">
        {activity === undefined ? `${text.chat.working}…` : <SafeText>{activity}</SafeText>}
      </span>
      <Elapsed since={startedAt} />
      <TraceButton onOpen={onTrace} />
    </div>
  );
}

function EndedTurn({ turn, onTrace }: { readonly turn: Turn; readonly onTrace: () => void }) {
  const { mayAct, isNested } = useChatScope();
  const actions = useTurnActions(turn.id);
  const [isTruncating, setTruncating] = useState(false);
  const [isRestoring, setRestoring] = useState(false);
  const error = errorPartOf(turn);
  const hasText = turn.responseParts.some(({ kind }) => kind === 'markdown');
  return (
    <div className="group/end pb-1">
      {error !== undefined && <TurnError turnId={turn.id} part={error} />}
      <div className="flex min-h-8 flex-wrap items-center gap-x-2 text-xs text-faint">
        <span className="facts flex min-w-0 flex-wrap items-center gap-x-1.5">
          {error === undefined && <TurnState turn={turn} />}
          <TurnFacts usage={turn.usage} durationMs={turn.duration} />
        </span>
        {!isNested && <TurnChanges turn={turn} />}
        {!isNested && (
          <div
            className={`ms-auto flex ${HOVER_ACTIONS} group-hover/end:opacity-100 group-hover/row:opacity-100`}
          >
            {hasText && (
              <IconButton size="small" label={text.chat.copyAnswer} onClick={actions.copyAnswer}>
                <Copy className="size-3.5" aria-hidden />
              </IconButton>
            )}
            <TraceButton onOpen={onTrace} />
            <Menu
              entries={turnMenu(actions, { isEnded: true, mayAct, onTruncate: () => setTruncating(true) })}
            >
              <IconButton size="small" label={text.chat.turnActions} data-turn-menu>
                <Ellipsis className="size-4" aria-hidden />
              </IconButton>
            </Menu>
          </div>
        )}
      </div>
      <Dialog
        isOpen={isTruncating}
        onClose={() => setTruncating(false)}
        title={text.chat.truncateTitle}
        description={text.chat.truncateText}
        footer={
          <>
            <Button onClick={() => setTruncating(false)}>{text.ui.cancel}</Button>
            <Button
              look="danger"
              onClick={() => {
                setTruncating(false);
                actions.truncate(isRestoring);
              }}
            >
              {text.chat.truncateConfirm}
            </Button>
          </>
        }
      >
        <RestoreChoice isChosen={isRestoring} onChange={setRestoring} />
      </Dialog>
    </div>
  );
}

function TurnState({ turn }: { readonly turn: Turn }) {
  switch (turn.state) {
    case 'complete':
      return undefined;
    case 'cancelled':
      return (
        <span className="flex items-center gap-1 text-muted">
          <Square className="size-3" aria-hidden />
          {text.chat.turnCancelled}
          {turn['x-cancelledBy']?.person !== undefined && (
            <SafeText>{`· ${turn['x-cancelledBy'].person}`}</SafeText>
          )}
        </span>
      );
    case 'error':
      return (
        <span className="flex items-center gap-1 text-danger">
          <CircleAlert className="size-3.5" aria-hidden />
          {text.chat.turnFailed}
        </span>
      );
    default:
      return turn.state satisfies never;
  }
}

function TurnFacts({
  usage,
  durationMs,
}: {
  readonly usage: UsageInfo | undefined;
  readonly durationMs: number | undefined;
}) {
  const facts = [
    ...(durationMs === undefined ? [] : [{ label: durationText(durationMs), title: undefined }]),
    ...usageFacts(usage),
  ];
  return facts.map(({ label, title }) => (
    <span
      key={label}
      title={title === undefined ? undefined : visibleText(title)}
      className="max-w-48 truncate"
    >
      <SafeText>{label}</SafeText>
    </span>
  ));
}
