import type { TerminalHandle } from '@agenthost/client';
import { hasExited } from '@agenthost/protocol';
import type { HostLink } from '../live/host-link.ts';
import { useSetting } from '../live/setting.ts';
import { useSelected } from '../live/use-live.ts';
import { useMayAct } from '../live/use-scope.ts';
import { clientName } from '../presence/client-name.ts';
import { usePresence } from '../presence/use-presence.ts';
import { text } from '../text/text.ts';
import type { MenuEntry } from '../ui/menu.tsx';
import { handTo, isAccepted } from './holding.ts';
import type { ScreenControls } from './screen-controls.ts';
import { FONT_SIZES, fontSizeSetting, screenReaderSetting } from './terminal-settings.ts';
import { useClaim, useMayType } from './use-claim.ts';

/** Entries of the menu of a terminal. */
export function useBarEntries({
  link,
  terminal,
  controls,
  onRename,
  onClose,
}: {
  readonly link: HostLink;
  readonly terminal: TerminalHandle;
  readonly controls: ScreenControls | undefined;
  readonly onRename: () => void;
  readonly onClose: () => void;
}): readonly MenuEntry[] {
  const { mirror } = terminal;
  const isExited = useSelected(mirror, hasExited);
  const claim = useClaim(terminal);
  const hasCommands = useSelected(mirror, (state) => state.supportsCommandDetection === true);
  const mayAct = useMayAct(link);
  const clients = usePresence(link);
  const [fontSize, setFontSize] = useSetting(fontSizeSetting);
  const [hasScreenReader, setScreenReader] = useSetting(screenReaderSetting);
  const own = link.client?.clientId;
  const isMine = claim.kind === 'client' && claim.clientId === own;
  const mayType = useMayType(link, terminal);
  const others = clients.filter(({ clientId, scope }) => clientId !== own && scope !== 'observe');
  return [
    ...(hasCommands
      ? [{ label: text.terminal.copyLastOutput, onSelect: () => controls?.copyLastOutput() }]
      : []),
    ...(mayType
      ? [{ label: text.terminal.clear, onSelect: () => void terminal.clear().then(isAccepted) }]
      : []),
    ...(mayAct ? [{ label: text.terminal.rename, onSelect: onRename }] : []),
    ...(mayAct && isMine && !isExited && others.length > 0
      ? [
          'separator' as const,
          ...others.map((client) => ({
            label: text.terminal.handTo(clientName(client, own)),
            onSelect: () => void handTo(terminal, client.clientId),
          })),
        ]
      : []),
    'separator',
    {
      label: text.terminal.biggerFont,
      onSelect: () => setFontSize(fontSize + 1),
      isDisabled: fontSize >= FONT_SIZES.largest,
    },
    {
      label: text.terminal.smallerFont,
      onSelect: () => setFontSize(fontSize - 1),
      isDisabled: fontSize <= FONT_SIZES.least,
    },
    {
      label: text.terminal.screenReader,
      isChosen: hasScreenReader,
      onSelect: () => setScreenReader(!hasScreenReader),
    },
    ...(mayAct
      ? ['separator' as const, { label: text.terminal.close, onSelect: onClose, isDangerous: true }]
      : []),
  ];
}
