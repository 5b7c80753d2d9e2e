import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { useLink, useLinkStatus, useLinks } from '../live/use-hosts.ts';
import { useMayAct } from '../live/use-scope.ts';
import { text } from '../text/text.ts';
import { Field, Select } from '../ui/field.tsx';
import { EmptyState } from '../ui/states.tsx';
import { lastChoicesSetting } from './new/last-choices.ts';
import { NewSessionForm } from './new/new-session-form.tsx';

/** The form for a new session: folder, agent and first message. */
export function NewSessionView() {
  const search = useSearch({ from: '/new' });
  const links = useLinks();
  const [host, setHost] = useState(search.host ?? lastChoicesSetting.value.host);
  const link = useLink(host);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex w-full max-w-2xl flex-col gap-5 px-4 pt-6 sm:py-10">
        <h1 className="text-xl font-semibold">{text.newSession.title}</h1>
        {links.length > 1 && <HostField links={links} chosen={link} onChange={setHost} />}
        <Content key={link.address.id} link={link} folder={search.folder} message={search.message} />
      </div>
    </div>
  );
}

function Content({
  link,
  folder,
  message,
}: {
  readonly link: HostLink;
  readonly folder: string | undefined;
  readonly message: string | undefined;
}) {
  const mayAct = useMayAct(link);
  if (!mayAct)
    return (
      <EmptyState title={text.newSession.title}>
        {link.isCopy ? text.newSession.offline : text.newSession.observe}
      </EmptyState>
    );
  return <NewSessionForm link={link} folder={folder} message={message} />;
}

function HostField({
  links,
  chosen,
  onChange,
}: {
  readonly links: readonly HostLink[];
  readonly chosen: HostLink;
  readonly onChange: (id: string) => void;
}) {
  const status = useLinkStatus(chosen);
  return (
    <Field
      label={text.newSession.host}
      description={status.state === 'online' ? undefined : text.board.hostStates[status.state]}
    >
      {(attributes) => (
        <Select
          {...attributes}
          value={chosen.address.id}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {links.map(({ address }) => (
            <option key={address.id} value={address.id}>
              {address.name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
