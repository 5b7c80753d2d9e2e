import type { Automations } from '@agenthost/client';
import type { AutomationEntry } from '@agenthost/protocol';
import type { FormEvent } from 'react';
import { AgentField, ModelField } from '../board/new/agent-fields.tsx';
import { FolderField } from '../board/new/folder-field.tsx';
import { FirstOptions, MoreOptions } from '../board/new/options-fields.tsx';
import type { HostLink } from '../live/host-link.ts';
import { useLinkStatus } from '../live/use-hosts.ts';
import { automationsText } from '../text/automations-text.ts';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { Field, Switch, TextArea, TextInput } from '../ui/field.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import { useAutomationForm } from './use-automation-form.ts';

const NO_FOLDERS: readonly string[] = [];
const NO_ERRORS: Readonly<Record<string, string>> = {};

/** A field with the focus opens the keyboard of a phone, which covers the other fields. */
const IS_TOUCH = matchMedia('(pointer: coarse)').matches;

/** The form that adds an automation, or edits one. `onClose` gets the saved automation; `undefined`: it was left without saving. */
export function AutomationForm({
  link,
  automations,
  edited,
  onClose,
}: {
  readonly link: HostLink;
  readonly automations: Automations;
  readonly edited: AutomationEntry | undefined;
  readonly onClose: (saved: string | undefined) => void;
}) {
  const form = useAutomationForm(link, automations, edited, onClose);
  const { state } = useLinkStatus(link);
  const { values, fault } = form;
  const canSave = state === 'online' && !form.isSaving;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (canSave) void form.save();
  };
  return (
    <form className="flex flex-col gap-5" onSubmit={submit} noValidate>
      <h1 className="text-xl font-semibold">
        {edited === undefined ? automationsText.newTitle : automationsText.editTitle}
      </h1>
      <Field
        label={automationsText.prompt}
        isRequired
        error={fault?.field === 'prompt' ? fault.message : undefined}
      >
        {(attributes) => (
          <TextArea
            {...attributes}
            autoFocus={!IS_TOUCH}
            rows={4}
            dir="auto"
            placeholder={automationsText.promptPlaceholder}
            className="field-sizing-content max-h-[40dvh] min-h-24 resize-none rounded-xl"
            value={values.prompt}
            onChange={(event) => form.set({ prompt: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
            }}
          />
        )}
      </Field>
      <Field label={automationsText.name} description={automationsText.nameHint}>
        {(attributes) => (
          <TextInput
            {...attributes}
            dir="auto"
            placeholder={automationsText.namePlaceholder}
            value={values.name}
            onChange={(event) => form.set({ name: event.currentTarget.value })}
          />
        )}
      </Field>
      <ScheduleFields form={form} />
      <div className="grid gap-5 sm:grid-cols-2">
        <AgentField
          link={link}
          agents={form.agents}
          provider={form.agent?.provider ?? ''}
          error={undefined}
          onChange={form.setProvider}
        />
        <ModelField agent={form.agent} model={values.model} onChange={(model) => form.set({ model })} />
      </div>
      <FolderField
        link={link}
        path={values.path}
        defaultPath={form.defaultPath}
        recent={NO_FOLDERS}
        error={fault?.field === 'folder' ? fault.message : undefined}
        onChange={(path) => form.set({ path })}
      />
      <div className="flex flex-col gap-2">
        <p className="text-xs text-muted">{automationsText.unattended}</p>
        <FirstOptions
          config={form.config}
          chosen={form.chosen}
          errors={NO_ERRORS}
          onChange={form.setChosen}
        />
      </div>
      <MoreOptions config={form.config} chosen={form.chosen} errors={NO_ERRORS} onChange={form.setChosen} />
      {values.schedule.repeat !== 'never' && <Limits form={form} />}
      {fault?.field === 'form' && (
        <p role="alert" className="text-sm break-words text-danger">
          {automationsText.failed(visibleText(fault.message))}
        </p>
      )}
      <div className="flex justify-end gap-2 max-sm:sticky max-sm:bottom-0 max-sm:-mx-4 max-sm:border-t max-sm:border-line max-sm:bg-surface max-sm:px-4 max-sm:py-3">
        <Button className="max-sm:flex-1" onClick={() => onClose(undefined)}>
          {text.ui.cancel}
        </Button>
        <Button type="submit" look="primary" disabled={!canSave} className="max-sm:flex-1">
          {form.isSaving ? automationsText.saving : automationsText.save}
        </Button>
      </div>
    </form>
  );
}

/** What happens to missed runs, and when the automation ends by itself. */
function Limits({ form }: { readonly form: ReturnType<typeof useAutomationForm> }) {
  const { values, fault } = form;
  return (
    <fieldset className="flex flex-col gap-4 rounded-xl border border-line p-4">
      <legend className="px-1 text-sm font-medium">{automationsText.limits}</legend>
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <p className="text-sm">{automationsText.missedPolicy}</p>
          <p className="mt-0.5 text-xs text-muted">{automationsText.missedHint}</p>
        </div>
        <Switch
          aria-label={automationsText.missedPolicy}
          isOn={values.isMadeUp}
          onChange={(isMadeUp) => form.set({ isMadeUp })}
        />
      </div>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={automationsText.maxRuns} error={fault?.field === 'maxRuns' ? fault.message : undefined}>
          {(attributes) => (
            <TextInput
              {...attributes}
              inputMode="numeric"
              value={values.maxRuns}
              onChange={(event) => form.set({ maxRuns: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label={automationsText.until}>
          {(attributes) => (
            <TextInput
              {...attributes}
              type="datetime-local"
              value={values.until}
              onChange={(event) => form.set({ until: event.currentTarget.value })}
            />
          )}
        </Field>
      </div>
    </fieldset>
  );
}
