import { type MessageAttachment, TEXT_LIMITS } from '@agenthost/protocol';
import { language, text } from '../../text/text.ts';
import { scaledImage } from './scale-image.ts';

/** Longest base64 text of one attachment. */
const MAX_LENGTH = TEXT_LIMITS.attachment.max;

/** Longest name of an attachment. */
const MAX_LABEL = TEXT_LIMITS.name.max;

const format = new Intl.NumberFormat(language, {
  style: 'unit',
  unit: 'megabyte',
  maximumFractionDigits: 1,
});

const megabytes = (bytes: number): string => format.format(bytes / 1_000_000);

/** A file as an attachment. Large images are made smaller. Rejects with an error for people when the file is too large or cannot be read. */
export async function attachmentOf(file: File): Promise<MessageAttachment> {
  const content = (await scaledImage(file)) ?? file;
  const length = Math.ceil(content.size / 3) * 4;
  if (length > MAX_LENGTH)
    throw new Error(
      text.composer.tooLarge(file.name, megabytes(content.size), megabytes((MAX_LENGTH / 4) * 3)),
    );
  return {
    type: 'embeddedResource',
    label: (file.name === '' ? text.composer.pastedFile : file.name).slice(0, MAX_LABEL),
    displayKind: content.type.startsWith('image/') ? 'image' : 'document',
    contentType: content.type === '' ? 'application/octet-stream' : content.type,
    data: await base64Of(content),
  };
}

/** A long text as an attachment. */
export async function textAttachmentOf(pasted: string): Promise<MessageAttachment> {
  const lineCount = pasted.split('\n').length;
  const file = new File([pasted], text.composer.pastedText(lineCount), { type: 'text/plain' });
  return attachmentOf(file);
}

/** The text of an attachment of this page; `undefined` when it is no text. */
export function textIn(attachment: MessageAttachment): string | undefined {
  if (attachment.type !== 'embeddedResource' || attachment.contentType !== 'text/plain') return undefined;
  const bytes = Uint8Array.from(atob(attachment.data), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

function base64Of(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('error', () => reject(reader.error ?? new Error(text.composer.unreadable)));
    reader.addEventListener('load', () => {
      const url = typeof reader.result === 'string' ? reader.result : '';
      resolve(url.slice(url.indexOf(',') + 1));
    });
    reader.readAsDataURL(blob);
  });
}
