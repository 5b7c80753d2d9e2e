import type { MessageAttachment } from '@agenthost/protocol';
import { File, Folder, Image, MessageSquare, Paperclip } from 'lucide-react';
import { useEffect, useState } from 'react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { useChatScope } from '../chat-scope.tsx';
import { bytesOfBase64, isShownImage, useBlobUrl } from './blob-url.ts';
import { ResourceContent } from './resource-part.tsx';

/** The attachments of a message. Images show as small pictures, the rest as labels. */
export function AttachmentList({
  attachments,
}: {
  readonly attachments: readonly MessageAttachment[] | undefined;
}) {
  if (attachments === undefined || attachments.length === 0) return undefined;
  return (
    <ul aria-label={text.chat.attachments} className="mt-2 flex flex-wrap gap-1.5">
      {attachments.map((attachment, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- attachments of a sent message never change
        <li key={index} className="min-w-0">
          <Attachment attachment={attachment} />
        </li>
      ))}
    </ul>
  );
}

const CHIP =
  'flex max-w-64 items-center gap-1.5 rounded-lg border border-line bg-surface px-2 py-1 text-xs touch:min-h-11';

function Attachment({ attachment }: { readonly attachment: MessageAttachment }) {
  const { openChat } = useChatScope();
  const [isOpen, setOpen] = useState(false);
  if (attachment.type === 'embeddedResource' && isShownImage(attachment.contentType))
    return <EmbeddedImage attachment={attachment} />;
  const content = (
    <>
      <AttachmentIcon attachment={attachment} />
      <SafeText className="truncate">{attachment.label}</SafeText>
    </>
  );
  if (attachment.type === 'chat')
    return (
      <button
        type="button"
        className={`${CHIP} hover:bg-hover`}
        onClick={() => openChat(attachment.resource)}
      >
        {content}
      </button>
    );
  if (attachment.type !== 'resource' || attachment.displayKind === 'directory')
    return (
      <span className={CHIP} title={visibleText(attachment.label)}>
        {content}
      </span>
    );
  return (
    <>
      <button
        type="button"
        className={`${CHIP} hover:bg-hover`}
        title={visibleText(attachment.uri)}
        aria-label={text.chat.openAttachment(visibleText(attachment.label))}
        onClick={() => setOpen(true)}
      >
        {content}
      </button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={attachment.label} size="large">
        <ResourceContent content={attachment} />
      </Dialog>
    </>
  );
}

function AttachmentIcon({ attachment }: { readonly attachment: MessageAttachment }) {
  const className = 'size-3.5 shrink-0 text-muted';
  if (attachment.type === 'chat') return <MessageSquare className={className} aria-hidden />;
  switch (attachment.displayKind) {
    case 'directory':
      return <Folder className={className} aria-hidden />;
    case 'image':
      return <Image className={className} aria-hidden />;
    case 'document':
      return <File className={className} aria-hidden />;
    default:
      return <Paperclip className={className} aria-hidden />;
  }
}

function EmbeddedImage({
  attachment,
}: {
  readonly attachment: Extract<MessageAttachment, { type: 'embeddedResource' }>;
}) {
  const [isOpen, setOpen] = useState(false);
  const [bytes, setBytes] = useState<Uint8Array<ArrayBuffer> | undefined>(undefined);
  useEffect(() => setBytes(bytesOfBase64(attachment.data)), [attachment.data]);
  const url = useBlobUrl(bytes, attachment.contentType);
  return (
    <>
      <button
        type="button"
        className="block size-24 overflow-hidden rounded-lg border border-line bg-surface"
        aria-label={text.chat.openAttachment(visibleText(attachment.label))}
        onClick={() => setOpen(true)}
      >
        {url !== undefined && (
          <img src={url} alt={visibleText(attachment.label)} className="size-full object-cover" />
        )}
      </button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={attachment.label} size="large">
        {url !== undefined && (
          <img src={url} alt={visibleText(attachment.label)} className="mx-auto max-w-full" />
        )}
      </Dialog>
    </>
  );
}
