import { ImageIcon } from 'lucide-react';
import { useState } from 'react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { LinkDialog, openedUrl } from '../../ui/link-dialog.tsx';

/** Images that are part of the text. */
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=]+$/i;
const SHOWN_URL_LENGTH = 120;

interface ImagePlaceholderProps {
  /** The element in the parsed Markdown. */
  readonly node?: unknown;
  readonly src?: string | Blob | undefined;
  readonly alt?: string | undefined;
}

/** An image in Markdown: a placeholder with its address. The page loads nothing by itself; images from elsewhere open in a new tab. */
export function ImagePlaceholder({ src, alt }: ImagePlaceholderProps) {
  const [isShown, setShown] = useState(false);
  const address = typeof src === 'string' ? src : '';
  const isData = DATA_IMAGE.test(address);
  const url = openedUrl(address);
  if (isData && isShown)
    return <img src={address} alt={visibleText(alt ?? '')} className="my-2 max-w-full rounded-lg" />;
  return (
    <span className="my-2 flex max-w-full items-center gap-3 rounded-lg border border-dashed border-line-strong px-3 py-2 text-sm">
      <ImageIcon className="size-5 shrink-0 text-muted" aria-hidden />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{visibleText(alt ?? '') || text.chat.image}</span>
        <span
          dir="ltr"
          className="block truncate text-xs text-muted"
          title={visibleText(address.slice(0, 2_000))}
        >
          {visibleText(address.slice(0, SHOWN_URL_LENGTH))}
        </span>
      </span>
      {(isData || url !== undefined) && (
        <Button size="small" onClick={() => setShown(true)}>
          {isData ? text.chat.showImage : text.chat.openImage}
        </Button>
      )}
      {isShown && url !== undefined && (
        <LinkDialog url={url} description={text.chat.openLinkText} onClose={() => setShown(false)} />
      )}
    </span>
  );
}
