import { Paperclip } from 'lucide-react';
import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { text } from '../../text/text.ts';

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

/** Takes files that are dropped anywhere on the view, and says so while they are dragged. */
export function DropZone({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const [place, setPlace] = useState<DOMRect>();
  useEffect(() => {
    const view = document.querySelector('main');
    if (view === null) return undefined;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setPlace((present) => present ?? view.getBoundingClientRect());
    };
    const leave = (event: DragEvent): void => {
      if (!(event.relatedTarget instanceof Node) || !view.contains(event.relatedTarget)) setPlace(undefined);
    };
    const drop = (event: DragEvent): void => {
      setPlace(undefined);
      if (!hasFiles(event)) return;
      event.preventDefault();
      onFiles(Array.from(event.dataTransfer?.files ?? []));
    };
    view.addEventListener('dragenter', over);
    view.addEventListener('dragover', over);
    view.addEventListener('dragleave', leave);
    view.addEventListener('drop', drop);
    return () => {
      view.removeEventListener('dragenter', over);
      view.removeEventListener('dragover', over);
      view.removeEventListener('dragleave', leave);
      view.removeEventListener('drop', drop);
    };
  }, [onFiles]);
  if (place === undefined) return null;
  const { left, top, width, height } = place;
  return createPortal(
    <div
      style={{ left, top, width, height }}
      className="pointer-events-none fixed z-40 flex items-center justify-center bg-canvas/80 p-4"
    >
      <p className="flex items-center gap-3 rounded-2xl border-2 border-dashed border-accent bg-raised px-8 py-6 text-base font-medium">
        <Paperclip className="size-5 text-accent" aria-hidden />
        {text.composer.dropHere}
      </p>
    </div>,
    document.body,
  );
}
