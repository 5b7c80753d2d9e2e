import {
  type ChatSummary,
  type SessionInputRequest,
  SessionStatus,
  type ToolCallState,
  type URI,
} from '@agenthost/protocol';
import { Bot, PanelTopOpen, Square } from 'lucide-react';
import { useMemo } from 'react';
import { useSelected } from '../../live/use-live.ts';
import { InlineQuestion } from '../../questions/inline-question.tsx';
import { answerable } from '../../questions/waiting-questions.ts';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { SafeText } from '../../ui/safe-text.tsx';
import { CallNotes } from '../cards/call-notes.tsx';
import { CallState } from '../cards/call-state.tsx';
import { callTitle } from '../cards/call-text.ts';
import { contentOf } from '../cards/card-kind.ts';
import { CardShell } from '../cards/card-shell.tsx';
import { ResultContent } from '../cards/result-content.tsx';
import { useChatScope } from '../chat-scope.tsx';
import { useRemembered } from '../use-remembered.ts';
import { stopWorker } from './stop-worker.ts';
import { WorkerTranscript } from './worker-transcript.tsx';

/** A call that runs a worker: the questions of the worker, and its chat when the card is open. */
export function WorkerCard({
  toolCall,
  turnId,
}: {
  readonly toolCall: ToolCallState;
  readonly turnId: string;
}) {
  const { session, openChat, mayAct } = useChatScope();
  const content = contentOf(toolCall);
  const block = content.find((each) => each.type === 'subagent');
  const uri = block?.resource ?? '';
  const summary = useSelected(session.mirror, ({ chats }) => chats.find(({ resource }) => resource === uri));
  const asks = useAsks(uri);
  const [isOpen, setOpen] = useRemembered(`${turnId} ${toolCall.toolCallId}`, false);
  const isAsking = asks.length > 0;
  const title = block?.title ?? callTitle(toolCall);
  return (
    <CardShell
      icon={<Bot className={classes('size-4', isAsking && 'text-accent')} aria-hidden />}
      title={
        <>
          <span className="text-muted">{text.chat.worker}: </span>
          <SafeText>{title}</SafeText>
          {!isOpen && summary?.activity !== undefined && (
            <SafeText className="ms-2 text-muted">{summary.activity}</SafeText>
          )}
        </>
      }
      tooltip={title}
      facts={block?.agentName === undefined ? undefined : <SafeText>{block.agentName}</SafeText>}
      state={<CallState toolCall={toolCall} />}
      isOpen={isOpen}
      onToggle={setOpen}
      isWaiting={isAsking}
      always={isAsking && !isOpen ? <WorkerAsks asks={asks} /> : undefined}
    >
      <CallNotes toolCall={toolCall} />
      {summary === undefined ? (
        <p className="text-sm text-muted">{text.chat.workerGone}</p>
      ) : (
        <>
          <WorkerTranscript uri={uri} />
          <div className="flex flex-wrap gap-2">
            <Button size="small" onClick={() => openChat(uri)}>
              <PanelTopOpen className="size-4" aria-hidden />
              {text.chat.openAsTab}
            </Button>
            {mayAct && isRunning(summary) && (
              <Button size="small" onClick={() => void stopWorker(session, uri)}>
                <Square className="size-3.5" aria-hidden />
                {text.chat.stopWorker}
              </Button>
            )}
          </div>
        </>
      )}
      <ResultContent content={content} />
    </CardShell>
  );
}

/** Whether a chat has a running turn, which may wait for a person. */
const isRunning = ({ status }: ChatSummary): boolean => (status & SessionStatus.InProgress) !== 0;

const NO_ASKS: readonly SessionInputRequest[] = [];

/** The open questions of a chat of the session. The session lists them, so the chat need not be open. */
function useAsks(uri: URI): readonly SessionInputRequest[] {
  const { session } = useChatScope();
  const needed = useSelected(session.mirror, ({ inputNeeded }) => inputNeeded) ?? NO_ASKS;
  return useMemo(() => answerable(needed).filter(({ chat }) => chat === uri), [needed, uri]);
}

function WorkerAsks({ asks }: { readonly asks: readonly SessionInputRequest[] }) {
  const { link, mayAct } = useChatScope();
  return asks.map((ask) => (
    <div key={ask.id} className={ask.kind === 'chatInput' ? 'p-3' : undefined}>
      <InlineQuestion link={link} entry={ask} mayAct={mayAct} isNested />
    </div>
  ));
}
