import { AtSign, File, Folder, Hash, MessagesSquare, TextCursorInput, X } from 'lucide-react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { IconButton } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import type { DraftPart } from '../draft/draft-content.ts';
import { textIn } from './read-file.ts';
import type { Attaching } from './use-attachments.ts';

/** Formats that a browser shows without running anything. */
const SHOWN = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** The attachments of a message that is being written. Commands are in the text only. */
export function AttachmentChips({
  parts,
  attaching,
}: {
  readonly parts: readonly DraftPart[];
  readonly attaching: Attaching;
}) {
  const shown = parts.filter(({ attachment }) => attachment.displayKind !== 'command');
  if (shown.length === 0) return null;
  return (
    <ul aria-label={text.composer.attachments} className="flex flex-wrap gap-1.5">
      {shown.map((part) => (
        <Chip key={part.id} part={part} attaching={attaching} />
      ))}
    </ul>
  );
}

function Chip({ part, attaching }: { readonly part: DraftPart; readonly attaching: Attaching }) {
  const { attachment } = part;
  const name = visibleText(attachment.label);
  return (
    <li
      title={name}
      className="flex max-w-full min-w-0 items-center gap-1.5 rounded-lg border border-line bg-sunken ps-1.5 text-xs"
    >
      <Preview part={part} />
      <SafeText className="max-w-40 truncate py-1">{attachment.label}</SafeText>
      {textIsPasted(part) && (
        <IconButton label={text.composer.expand(name)} size="small" onClick={() => attaching.expand(part)}>
          <TextCursorInput className="size-3.5" aria-hidden />
        </IconButton>
      )}
      <IconButton
        label={text.composer.removeAttachment(name)}
        size="small"
        onClick={() => attaching.remove(part)}
      >
        <X className="size-3.5" aria-hidden />
      </IconButton>
    </li>
  );
}

const textIsPasted = ({ attachment }: DraftPart): boolean => textIn(attachment) !== undefined;

const ICON = 'size-3.5 shrink-0 text-muted';

function Preview({ part: { attachment, span } }: { readonly part: DraftPart }) {
  if (attachment.type === 'embeddedResource' && SHOWN.test(attachment.contentType)) {
    return (
      <img
        src={`data:${attachment.contentType};base64,${attachment.data}`}
        alt=""
        className="size-7 shrink-0 rounded object-cover"
      />
    );
  }
  if (attachment.type === 'chat') return <MessagesSquare className={ICON} aria-hidden />;
  if (attachment.displayKind === 'directory') return <Folder className={ICON} aria-hidden />;
  if (attachment.displayKind === 'turn') return <Hash className={ICON} aria-hidden />;
  if (span !== undefined) return <AtSign className={ICON} aria-hidden />;
  return <File className={ICON} aria-hidden />;
}
