import type { Automations } from '@agenthost/client';
import { getRouteApi } from '@tanstack/react-router';
import { Plus, Timer } from 'lucide-react';
import { usePageTitle } from '../attention/page-title.ts';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { OWN_HOST } from '../live/hosts.ts';
import { useLink, useLinkStatus, useLinks } from '../live/use-hosts.ts';
import { useSelected } from '../live/use-live.ts';
import { useMayAct } from '../live/use-scope.ts';
import { automationsText } from '../text/automations-text.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { EmptyState, FailedState, Spinner } from '../ui/states.tsx';
import { AutomationEntryCard } from './automation-entry.tsx';
import { AutomationForm } from './automation-form.tsx';
import { useAutomations } from './use-automations.ts';

const route = getRouteApi('/automations');

/** The automations of a host: a list with their runs, and a form to add or edit one. */
export function AutomationsView() {
  usePageTitle(automationsText.title);
  const { host } = route.useSearch();
  const link = useLink(host);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-5 px-4 py-6 sm:px-6 lg:py-8">
        <HostChoice link={link} />
        <Content key={link.address.id} link={link} />
      </div>
    </div>
  );
}

function HostChoice({ link }: { readonly link: HostLink }) {
  const links = useLinks();
  const navigate = route.useNavigate();
  if (links.length < 2) return undefined;
  return (
    <Select
      aria-label={automationsText.host}
      className="w-auto max-w-60 self-end"
      value={link.address.id}
      onChange={({ target }) =>
        void navigate({ search: { host: target.value === OWN_HOST ? undefined : target.value } })
      }
    >
      {links.map(({ address }) => (
        <option key={address.id} value={address.id}>
          {address.name}
        </option>
      ))}
    </Select>
  );
}

function Content({ link }: { readonly link: HostLink }) {
  const live = useAutomations(link);
  const { state } = useLinkStatus(link);
  if (live.state === 'open') return <Opened link={link} automations={live.value} />;
  const hasNone = state === 'online' && link.client?.host?.automations === undefined;
  return (
    <>
      <h1 className="text-xl font-semibold">{automationsText.title}</h1>
      {hasNone ? (
        <EmptyState title={automationsText.unsupportedTitle}>{automationsText.unsupportedText}</EmptyState>
      ) : live.state === 'failed' ? (
        <FailedState
          title={automationsText.failedTitle}
          reason={messageOf(live.error)}
          onRetry={live.retry}
        />
      ) : (
        <div className="flex justify-center p-8">
          <Spinner />
        </div>
      )}
    </>
  );
}

function Opened({ link, automations }: { readonly link: HostLink; readonly automations: Automations }) {
  const { open, form } = route.useSearch();
  const navigate = route.useNavigate();
  const mayAct = useMayAct(link);
  const entries = useSelected(automations.mirror, (state) => state.entries);
  const go = (search: {
    readonly open?: string | undefined;
    readonly form?: 'new' | 'edit' | undefined;
  }): void => void navigate({ search: ({ host }) => ({ host, ...search }) });
  const edited = form === 'edit' ? entries.find(({ resource }) => resource === open) : undefined;
  if (mayAct && (form === 'new' || edited !== undefined))
    return (
      <AutomationForm
        link={link}
        automations={automations}
        edited={edited}
        onClose={(saved) => go({ open: saved ?? edited?.resource })}
      />
    );
  return (
    <>
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="text-xl font-semibold">{automationsText.title}</h1>
          <p className="mt-1 text-sm text-muted">{automationsText.explain}</p>
        </div>
        {mayAct && entries.length > 0 && (
          <Button look="primary" onClick={() => go({ form: 'new' })}>
            <Plus className="size-4" aria-hidden />
            {automationsText.add}
          </Button>
        )}
      </header>
      {entries.length === 0 ? (
        <EmptyState
          icon={<Timer className="size-8" aria-hidden />}
          title={automationsText.emptyTitle}
          action={
            mayAct && (
              <Button look="primary" onClick={() => go({ form: 'new' })}>
                {automationsText.add}
              </Button>
            )
          }
        >
          {automationsText.emptyText}
        </EmptyState>
      ) : (
        <ul aria-label={automationsText.list} className="flex flex-col gap-3">
          {entries.map((entry) => (
            <AutomationEntryCard
              key={entry.resource}
              link={link}
              automations={automations}
              entry={entry}
              isOpen={entry.resource === open}
              onToggle={() => go({ open: entry.resource === open ? undefined : entry.resource })}
              onEdit={() => go({ open: entry.resource, form: 'edit' })}
            />
          ))}
        </ul>
      )}
    </>
  );
}
