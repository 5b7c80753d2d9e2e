import type { BackgroundWork } from '@agenthost/protocol';
import { useNavigate } from '@tanstack/react-router';
import { Bot, SquareTerminal, X } from 'lucide-react';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { useChatScope } from '../chat-scope.tsx';
import { reporting } from '../report-outcome.ts';
import { Elapsed } from '../transcript/elapsed.tsx';

/** The terminals and workers that a chat runs in the background. */
export function BackgroundStrip() {
  const { chat } = useChatScope();
  const all = useSelected(chat.mirror, (state) => state.backgroundWork);
  const isActive = useSelected(chat.mirror, ({ activeTurn }) => activeTurn !== undefined);
  // The cards of the running turn show their workers themselves.
  const works = (all ?? []).filter(({ kind }) => kind === 'shell' || !isActive);
  if (works.length === 0) return undefined;
  return (
    <section aria-label={text.chat.background}>
      <ul className="flex flex-col rounded-xl border border-line bg-raised text-sm">
        {works.map((work) => (
          <li key={work.id} className="border-line not-first:border-t">
            <Work work={work} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Work({ work }: { readonly work: BackgroundWork }) {
  const { chat, openChat, mayAct } = useChatScope();
  const navigate = useNavigate();
  const Icon = work.kind === 'shell' ? SquareTerminal : Bot;
  const terminal = work.kind === 'shell' ? work.terminal : undefined;
  const end = (): void => {
    void reporting(text.chat.backgroundEnd, () => chat.endBackgroundWork(work.id));
  };
  return (
    <div className="flex min-h-9 items-center gap-2 ps-3 pe-1">
      <Icon className="size-4 shrink-0 text-muted" aria-hidden />
      <span
        className="min-w-0 flex-1 truncate"
        title={visibleText(work.kind === 'shell' ? work.command : work.label)}
      >
        <SafeText>{work.label}</SafeText>
      </span>
      <span className="text-xs text-muted">
        <Elapsed since={work.startedAt} />
      </span>
      {terminal !== undefined && (
        <Button
          size="small"
          look="ghost"
          onClick={() =>
            void navigate({
              to: '/terminals',
              search: (search) => ({ ...search, open: terminal }),
            })
          }
        >
          {text.chat.backgroundOpenTerminal}
        </Button>
      )}
      {work.kind === 'subagent' && (
        <Button size="small" look="ghost" onClick={() => openChat(work.chat)}>
          {text.chat.backgroundOpenWorker}
        </Button>
      )}
      {mayAct && (work.kind === 'subagent' || terminal !== undefined) && (
        <IconButton size="small" label={text.chat.backgroundEnd} onClick={end}>
          <X className="size-4" aria-hidden />
        </IconButton>
      )}
    </div>
  );
}
