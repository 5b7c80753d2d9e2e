import { type Author, authorName, type Message } from '@agenthost/protocol';
import { type ReactNode, useState } from 'react';
import { dateTimeText, timeText } from '../../text/format.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { type Edit, EditMessage } from '../actions/edit-message.tsx';
import { MessageActions } from '../actions/message-actions.tsx';
import { useChatScope } from '../chat-scope.tsx';
import { remembering } from '../use-remembered.ts';
import { AttachmentList } from './attachment-list.tsx';
import { useTurnPart } from './use-part.ts';

/** Longer messages are folded. */
const FOLD_LENGTH = 1_600;
const FOLD_LINES = 16;

const useEdit = remembering<Edit>();

/** The message of a turn, with its actions. */
export function UserMessage({ turnId }: { readonly turnId: string }) {
  const message = useTurnPart(turnId, (turn) => turn?.message);
  const by = useTurnPart(turnId, (turn) => turn?.['x-by']);
  const startedAt = useTurnPart(turnId, (turn) => turn?.startedAt);
  const [edit, setEdit] = useEdit(turnId, undefined);
  // An edit that comes back into view takes no focus from elsewhere.
  const [hasBegun, setBegun] = useState(false);
  const { mayAct } = useChatScope();
  if (message === undefined) return undefined;
  if (edit !== undefined && mayAct)
    return (
      <EditMessage
        turnId={turnId}
        edit={edit}
        onChange={setEdit}
        takesFocus={hasBegun}
        onClose={() => setEdit(undefined)}
      />
    );
  const begin = (): void => {
    setBegun(true);
    setEdit({ content: message.text, isRestoring: false });
  };
  return (
    <MessageBubble
      message={message}
      by={by}
      startedAt={startedAt}
      actions={<MessageActions turnId={turnId} message={message} onEdit={begin} />}
    />
  );
}

interface MessageBubbleProps {
  readonly message: Message;
  readonly by?: Author | undefined;
  readonly startedAt?: string | undefined;
  readonly note?: string;
  /** Buttons beside the time. */
  readonly actions?: ReactNode;
}

/** A message: its text, attachments, author and time. */
export function MessageBubble({ message, by, startedAt, note, actions }: MessageBubbleProps) {
  const author = useAuthor(message, by);
  const time = startedAt === undefined ? undefined : timeText(startedAt);
  return (
    <div className="group/message flex flex-col items-end py-1">
      <h2 className="sr-only">
        {author === undefined ? text.chat.yourMessage : text.chat.messageBy(nameOf(author))}
      </h2>
      <div className="max-w-[min(100%,40rem)] rounded-2xl bg-sunken px-4 py-2.5 dark:bg-raised">
        <FoldedText content={message.text} />
        <AttachmentList attachments={message.attachments} />
      </div>
      <div className="flex min-h-7 max-w-full items-center gap-1.5 px-1 text-xs text-faint">
        {actions}
        {author !== undefined && (
          <span className="min-w-0 truncate" title={visibleText(nameOf(author))}>
            <SafeText>{author.name}</SafeText>
            {author.device !== undefined && (
              <SafeText className="max-sm:hidden">{` (${author.device})`}</SafeText>
            )}
          </span>
        )}
        {note !== undefined && <span className="min-w-0 truncate">{note}</span>}
        {startedAt !== undefined && time !== undefined && (
          <time dateTime={startedAt} title={dateTimeText(startedAt)} className="shrink-0 whitespace-nowrap">
            {time}
          </time>
        )}
      </div>
    </div>
  );
}

const nameOf = ({ name, device }: Pick<Author, 'name' | 'device'>): string =>
  device === undefined ? name : text.presence.onDevice(name, device);

/** Another author than this client; `undefined` for this client's own messages and unknown authors. */
function useAuthor(message: Message, by: Author | undefined): Pick<Author, 'name' | 'device'> | undefined {
  const { link } = useChatScope();
  switch (message.origin.kind) {
    case 'agent':
      return { name: text.chat.fromAgent };
    case 'tool':
      return { name: text.chat.fromTool };
    case 'systemNotification':
      return { name: text.chat.fromSystem };
    case 'automation':
      return { name: text.chat.automation };
    case 'user':
      return by === undefined || by.clientId === link.client?.clientId
        ? undefined
        : { ...by, name: authorName(by) };
    default:
      return message.origin.kind satisfies never;
  }
}

function FoldedText({ content }: { readonly content: string }) {
  const isLong = content.length > FOLD_LENGTH || lineCount(content) > FOLD_LINES;
  const [isOpen, setOpen] = useState(false);
  const shown = isLong && !isOpen ? beginning(content) : content;
  return (
    <>
      <p dir="auto" className="break-words whitespace-pre-wrap">
        {visibleText(shown)}
        {shown !== content && '…'}
      </p>
      {isLong && (
        <Button
          size="small"
          look="ghost"
          className="-ms-2.5 text-muted"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? text.chat.showLess : text.chat.showMore}
        </Button>
      )}
    </>
  );
}

function lineCount(content: string): number {
  let count = 1;
  for (let at = content.indexOf('\n'); at !== -1 && count <= FOLD_LINES; at = content.indexOf('\n', at + 1))
    count++;
  return count;
}

const beginning = (content: string): string =>
  content.slice(0, FOLD_LENGTH).split('\n').slice(0, FOLD_LINES).join('\n');
