import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { toggleSidebar } from '../app/sidebar-settings.ts';
import { OWN_HOST } from '../live/hosts.ts';
import { useLink } from '../live/use-hosts.ts';
import { useMayAct } from '../live/use-scope.ts';
import { text } from '../text/text.ts';
import { useAction } from './actions.ts';
import { showHelp, showPalette, usePaletteDialog } from './open-palette.ts';
import { useShortcuts } from './shortcuts.ts';

const CommandPalette = lazy(async () => ({
  default: (await import('./command-palette.tsx')).CommandPalette,
}));
const HelpDialog = lazy(async () => ({ default: (await import('./help-dialog.tsx')).HelpDialog }));

/** The shortcuts that work everywhere, the palette and the help. Rendered once, by the frame of the page. */
export function PaletteHost() {
  const navigate = useNavigate();
  const mayAct = useMayAct(useLink(OWN_HOST));
  const open = usePaletteDialog();
  useShortcuts();
  useAction({
    id: 'app.palette',
    label: text.palette.open,
    keys: 'mod+k',
    place: 'everywhere',
    isKeyOnly: true,
    run: showPalette,
  });
  useAction({ id: 'app.help', label: text.palette.help, keys: '?', place: 'everywhere', run: showHelp });
  useAction({
    id: 'app.sidebar',
    label: text.palette.toggleSidebar,
    keys: 'mod+b',
    place: 'everywhere',
    run: toggleSidebar,
  });
  useAction(
    mayAct
      ? {
          id: 'app.new',
          label: text.palette.newSession,
          keys: 'n',
          place: 'everywhere',
          run: () => void navigate({ to: '/new' }),
        }
      : undefined,
  );
  return (
    <Suspense>
      {open === 'palette' && <CommandPalette />}
      {open === 'help' && <HelpDialog />}
    </Suspense>
  );
}
