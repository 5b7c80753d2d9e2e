import { Server } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { text } from '../../text/text.ts';
import { IconButton } from '../../ui/button.tsx';

const HostsDialog = lazy(async () => ({ default: (await import('./hosts-dialog.tsx')).HostsDialog }));

/** The button that opens the list of hosts. */
export function ManageHosts() {
  const [wasOpened, setOpened] = useState(false);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton
        label={text.board.manageHosts}
        onClick={() => {
          setOpened(true);
          setOpen(true);
        }}
      >
        <Server className="size-4" aria-hidden />
      </IconButton>
      {wasOpened && (
        <Suspense>
          <HostsDialog isOpen={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
