import type { PluginCustomization } from '@agenthost/protocol';
import { Puzzle } from 'lucide-react';
import { Badge } from '../settings/panel.tsx';
import { automationsText } from '../text/automations-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { SafeText } from '../ui/safe-text.tsx';

/** The host's copies of the plugins of an automation, with what is wrong with them [AUTO-14]. */
export function PluginList({
  plugins,
  title,
}: {
  readonly plugins: readonly PluginCustomization[];
  readonly title: string;
}) {
  if (plugins.length === 0) return undefined;
  return (
    <ul aria-label={automationsText.plugins(title)} className="flex flex-col gap-1.5">
      {plugins.map(({ id, name, version, load, children = [], enablement }) => (
        <li key={id} className="flex flex-col gap-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Puzzle className="size-4 shrink-0 text-muted" aria-hidden />
            <SafeText className="min-w-0 break-words">{name}</SafeText>
            {version !== undefined && <SafeText className="text-xs text-muted">{version}</SafeText>}
            <span className="text-xs text-muted">{automationsText.pluginParts(children.length)}</span>
            {enablement?.[0]?.enabled === false && <Badge>{automationsText.pluginOff}</Badge>}
          </p>
          {load !== undefined && 'message' in load && (
            <p
              className={
                load.kind === 'error'
                  ? 'rounded-lg bg-danger-soft px-2.5 py-1.5 text-xs break-words whitespace-pre-wrap text-danger'
                  : 'rounded-lg bg-warn-soft px-2.5 py-1.5 text-xs break-words whitespace-pre-wrap text-warn'
              }
            >
              {visibleText(load.message)}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
