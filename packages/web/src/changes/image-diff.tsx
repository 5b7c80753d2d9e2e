import { useState } from 'react';
import type { ReadContent } from '../chat/resource.ts';
import { useBlobUrl } from '../chat/transcript/blob-url.ts';
import { bytesText } from '../text/format.ts';
import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';

type ImageMode = keyof typeof workspaceText.changes.imageModes;

const MODES: readonly ImageMode[] = ['sides', 'swipe', 'onion'];

interface ImageDiffProps {
  /** Absent: the image was added. */
  readonly before: ReadContent | undefined;
  /** Absent: the image was deleted. */
  readonly after: ReadContent | undefined;
  readonly name: string;
}

/** Two versions of an image: beside each other, one over the other with a dividing line, or with adjustable opacity. */
export function ImageDiff({ before, after, name }: ImageDiffProps) {
  const [mode, setMode] = useState<ImageMode>('sides');
  const [share, setShare] = useState(50);
  const haveBoth = before !== undefined && after !== undefined;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-3">
      {haveBoth && (
        <div
          role="group"
          aria-label={workspaceText.changes.imageMode}
          className="flex flex-wrap items-center gap-1.5"
        >
          {MODES.map((each) => (
            <Button
              key={each}
              size="small"
              aria-pressed={each === mode}
              className={each === mode ? 'bg-accent-soft!' : ''}
              onClick={() => setMode(each)}
            >
              {workspaceText.changes.imageModes[each]}
            </Button>
          ))}
          {mode !== 'sides' && (
            <input
              type="range"
              min={0}
              max={100}
              value={share}
              aria-label={mode === 'swipe' ? workspaceText.changes.swipe : workspaceText.changes.onion}
              className="w-48 accent-(--c-accent)"
              onChange={(event) => setShare(Number(event.target.value))}
            />
          )}
        </div>
      )}
      {haveBoth && mode !== 'sides' ? (
        <div className="relative w-fit max-w-full self-center">
          <Picture content={before} alt={`${workspaceText.changes.beforeImage}: ${visibleText(name)}`} />
          <div
            className="absolute inset-0"
            style={
              mode === 'swipe'
                ? { clipPath: `inset(0 0 0 ${share}%)`, background: 'var(--c-surface)' }
                : { opacity: share / 100 }
            }
          >
            <Picture
              content={after}
              alt={`${workspaceText.changes.afterImage}: ${visibleText(name)}`}
              isFilling
            />
          </div>
          {mode === 'swipe' && (
            <div className="absolute inset-y-0 w-0.5 bg-accent" style={{ left: `${share}%` }} aria-hidden />
          )}
        </div>
      ) : (
        <div className={classes('grid gap-3', haveBoth && 'sm:grid-cols-2')}>
          {before !== undefined && (
            <Figure
              content={before}
              label={workspaceText.changes.beforeImage}
              name={name}
              color="border-danger"
            />
          )}
          {after !== undefined && (
            <Figure content={after} label={workspaceText.changes.afterImage} name={name} color="border-ok" />
          )}
        </div>
      )}
    </div>
  );
}

function Figure({
  content,
  label,
  name,
  color,
}: {
  readonly content: ReadContent;
  readonly label: string;
  readonly name: string;
  readonly color: string;
}) {
  const [size, setSize] = useState<{ readonly width: number; readonly height: number } | undefined>();
  return (
    <figure className={classes('flex flex-col gap-1 rounded-xl border p-2', color)}>
      <Picture content={content} alt={`${label}: ${visibleText(name)}`} onSize={setSize} />
      <figcaption className="text-xs text-muted">
        {label}
        {size !== undefined &&
          ` · ${workspaceText.changes.imageSize(size.width, size.height, bytesText(content.bytes.length))}`}
      </figcaption>
    </figure>
  );
}

/** An image from bytes. */
export function Picture({
  content,
  alt,
  isFilling = false,
  onSize,
}: {
  readonly content: ReadContent;
  readonly alt: string;
  /** Takes the size of the element around it. */
  readonly isFilling?: boolean;
  readonly onSize?: (size: { readonly width: number; readonly height: number }) => void;
}) {
  const url = useBlobUrl(content.bytes, content.contentType ?? '');
  if (url === undefined) return undefined;
  return (
    <img
      src={url}
      alt={alt}
      className={classes(
        'bg-[repeating-conic-gradient(var(--c-sunken)_0%_25%,var(--c-surface)_0%_50%)] bg-size-[16px_16px] object-contain',
        isFilling ? 'size-full' : 'max-h-[70vh] max-w-full self-start',
      )}
      onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
        onSize?.({ width, height })
      }
    />
  );
}
