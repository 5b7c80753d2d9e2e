import { Camera, MessagesSquare, Paperclip, Plus } from 'lucide-react';
import { useRef } from 'react';
import { text } from '../../text/text.ts';
import { IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';

/** The button that adds files, a photo or another chat. */
export function AttachMenu({
  onFiles,
  onChat,
}: {
  readonly onFiles: (files: readonly File[]) => void;
  /** Absent: other chats are not offered. */
  readonly onChat: (() => void) | undefined;
}) {
  const files = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const hasCamera = window.matchMedia('(pointer: coarse)').matches;
  const take = (input: HTMLInputElement): void => {
    onFiles(Array.from(input.files ?? []));
    // The same file can be chosen again.
    input.value = '';
  };
  const shared = { type: 'file', tabIndex: -1, 'aria-hidden': true, className: 'hidden' } as const;
  return (
    <>
      <input {...shared} ref={files} multiple onChange={(event) => take(event.target)} />
      <input
        {...shared}
        ref={camera}
        accept="image/*"
        capture="environment"
        onChange={(event) => take(event.target)}
      />
      <Menu
        align="start"
        entries={[
          {
            label: text.composer.attachFiles,
            icon: <Paperclip className="size-4" />,
            onSelect: () => files.current?.click(),
          },
          ...(hasCamera
            ? [
                {
                  label: text.composer.takePhoto,
                  icon: <Camera className="size-4" />,
                  onSelect: () => camera.current?.click(),
                },
              ]
            : []),
          ...(onChat === undefined
            ? []
            : [
                {
                  label: text.composer.attachChat,
                  icon: <MessagesSquare className="size-4" />,
                  onSelect: onChat,
                },
              ]),
        ]}
      >
        <IconButton label={text.composer.attach}>
          <Plus className="size-4.5" aria-hidden />
        </IconButton>
      </Menu>
    </>
  );
}
