import { type FormEvent, lazy, Suspense } from 'react';
import type { HostLink } from '../../live/host-link.ts';
import { useLinkStatus } from '../../live/use-hosts.ts';
import { shownKeys } from '../../palette/actions.ts';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { Spinner } from '../../ui/states.tsx';
import { AgentField, ModelField } from './agent-fields.tsx';
import { FolderField } from './folder-field.tsx';
import { FirstOptions, MoreOptions } from './options-fields.tsx';
import { useNewSession } from './use-new-session.ts';

const NewSessionSignIn = lazy(async () => ({
  default: (await import('../../oauth/new-session-sign-in.tsx')).NewSessionSignIn,
}));

/** A field with the focus opens the keyboard of a phone, which covers the other fields. */
const IS_TOUCH = matchMedia('(pointer: coarse)').matches;

/** The fields of a new session on one host. */
export function NewSessionForm({
  link,
  folder,
  message,
}: {
  readonly link: HostLink;
  readonly folder: string | undefined;
  readonly message: string | undefined;
}) {
  const form = useNewSession(link, { folder, message });
  const { state } = useLinkStatus(link);
  const { fault } = form;
  const canStart = state === 'online' && form.agents.length > 0 && !form.isStarting;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (canStart) void form.start();
  };
  return (
    <form className="flex flex-col gap-5" onSubmit={submit} noValidate>
      <Field
        label={text.newSession.message}
        description={
          IS_TOUCH ? text.newSession.messageOptional : text.newSession.messageHint(shownKeys('mod+enter'))
        }
      >
        {(attributes) => (
          <TextArea
            {...attributes}
            autoFocus={!IS_TOUCH}
            rows={5}
            dir="auto"
            placeholder={text.newSession.messagePlaceholder}
            className="field-sizing-content max-h-[40dvh] min-h-28 resize-none rounded-xl"
            value={form.message}
            onChange={(event) => form.setMessage(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
            }}
          />
        )}
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <AgentField
          link={link}
          agents={form.agents}
          provider={form.agent?.provider ?? ''}
          error={fault?.field === 'agent' ? fault.message : undefined}
          onChange={form.setProvider}
        />
        <ModelField agent={form.agent} model={form.model} onChange={form.setModel} />
      </div>
      <div className="flex flex-col gap-2">
        <FolderField
          link={link}
          path={form.path}
          defaultPath={form.defaultPath}
          recent={form.recent}
          error={fault?.field === 'folder' ? fault.message : undefined}
          onChange={form.setPath}
        />
        {fault?.canMakeFolder === true && (
          <Button size="small" className="self-start" onClick={() => void form.makeFolder()}>
            {text.newSession.makeFolder}
          </Button>
        )}
      </div>
      <FirstOptions
        config={form.config}
        chosen={form.chosen}
        errors={form.optionErrors}
        onChange={form.setChosen}
      />
      <MoreOptions
        config={form.config}
        chosen={form.chosen}
        errors={form.optionErrors}
        onChange={form.setChosen}
      />
      {fault?.needsSignIn === true && (
        <Suspense>
          <NewSessionSignIn link={link} agent={form.agent} onSignedIn={form.clearFault} />
        </Suspense>
      )}
      {fault?.field === 'form' && fault.needsSignIn !== true && (
        <p role="alert" className="text-sm break-words text-danger">
          {text.newSession.failed(fault.message)}
        </p>
      )}
      {state === 'away' && <p className="text-sm text-warn">{text.newSession.offline}</p>}
      <div className="flex justify-end max-sm:sticky max-sm:bottom-0 max-sm:-mx-4 max-sm:border-t max-sm:border-line max-sm:bg-surface max-sm:px-4 max-sm:py-3">
        <Button type="submit" look="primary" disabled={!canStart} className="max-sm:flex-1">
          {form.isStarting ? (
            <>
              <Spinner label={text.newSession.starting} className="text-on-accent" />
              {text.newSession.starting}
            </>
          ) : (
            text.newSession.start
          )}
        </Button>
      </div>
    </form>
  );
}
