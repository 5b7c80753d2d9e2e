import type { SessionHandle } from '@agenthost/client';
import {
  type ChildCustomization,
  type Customization,
  decisionsAbout,
  type EnablementLevel,
  isEnabled,
  withDecision,
} from '@agenthost/protocol';
import { Blocks } from 'lucide-react';
import { useState } from 'react';
import { reportOutcome } from '../chat/report-outcome.ts';
import { useSelected } from '../live/use-live.ts';
import { customizationsText as text } from '../text/customizations-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Select } from '../ui/field.tsx';
import { EmptyState } from '../ui/states.tsx';
import { CustomizationRow } from './customization-row.tsx';

const NONE: readonly Customization[] = [];

/** The customizations of a session as a tree of containers and children, with state, problems, source and switches. */
export function CustomizationsDialog({
  session,
  mayAct,
  isOpen,
  onClose,
}: {
  readonly session: SessionHandle;
  readonly mayAct: boolean;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const customizations = useSelected(session.mirror, (state) => state.customizations ?? NONE);
  const workspace = useSelected(session.mirror, (state) => state.workingDirectories?.[0]);
  const [level, setLevel] = useState<EnablementLevel>('session');
  const decide = (
    customization: Customization | ChildCustomization,
    enabled: boolean | undefined,
    at: EnablementLevel,
  ): void => {
    const enablement = withDecision(decisionsAbout(customization), { level: at, enabled, workspace });
    void reportOutcome(text.toggle, session.toggleCustomization(customization.id, enablement));
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={text.title} description={text.explain} size="large">
      {customizations.length === 0 ? (
        <EmptyState icon={<Blocks className="size-8" aria-hidden />} title={text.none}>
          {text.noneText}
        </EmptyState>
      ) : (
        <div className="flex flex-col gap-4">
          {mayAct && (
            <label className="flex flex-wrap items-center gap-2 text-sm">
              {text.decideFor}
              <span className="w-full sm:w-56">
                <Select value={level} onChange={({ target }) => setLevel(levelOf(target.value))}>
                  {LEVELS.map((each) => (
                    <option
                      key={each}
                      value={each}
                      disabled={each === 'workspace' && workspace === undefined}
                    >
                      {text.levels[each]}
                    </option>
                  ))}
                </Select>
              </span>
            </label>
          )}
          <ul className="flex flex-col gap-3" aria-label={text.title}>
            {customizations.map((each) => (
              <Container
                key={each.id}
                customization={each}
                level={mayAct ? level : undefined}
                session={session}
                onDecide={decide}
              />
            ))}
          </ul>
        </div>
      )}
    </Dialog>
  );
}

const LEVELS: readonly EnablementLevel[] = ['session', 'workspace', 'global'];

const levelOf = (value: string): EnablementLevel => LEVELS.find((each) => each === value) ?? 'session';

function Container({
  customization,
  level,
  session,
  onDecide,
}: {
  readonly customization: Customization;
  readonly level: EnablementLevel | undefined;
  readonly session: SessionHandle;
  readonly onDecide: Parameters<typeof CustomizationRow>[0]['onDecide'];
}) {
  const publisher = useSelected(session.mirror, ({ activeClients }) => {
    const clientId = 'clientId' in customization ? customization.clientId : undefined;
    if (clientId === undefined) return undefined;
    return activeClients.find((each) => each.clientId === clientId)?.displayName ?? clientId;
  });
  // The decision of a client about its plugin for everywhere is its own.
  const at = publisher !== undefined && level === 'global' ? undefined : level;
  const isOn = isEnabled(customization);
  const children = 'children' in customization ? (customization.children ?? []) : [];
  const named = publisher === undefined ? {} : { publisher: visibleText(publisher) };
  return (
    <li className="rounded-xl border border-line px-4 py-3">
      <CustomizationRow
        customization={customization}
        isContainerOn
        level={at}
        onDecide={onDecide}
        {...named}
      />
      {publisher !== undefined && level === 'global' && (
        <p className="mt-1 text-xs text-muted">{text.clientDecides}</p>
      )}
      {children.length > 0 && (
        <ul
          className="mt-2 flex flex-col divide-y divide-line border-t border-line ps-2"
          aria-label={visibleText(customization.name)}
        >
          {children.map((child) => (
            <li key={child.id} className="py-2.5">
              <CustomizationRow customization={child} isContainerOn={isOn} level={at} onDecide={onDecide} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
