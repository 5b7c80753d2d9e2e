import { type ConfigSchema, ROOT_URI, type RootConfigState } from '@agenthost/protocol';
import { ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { HostLink } from '../../live/host-link.ts';
import { useIsAdmin } from '../../live/use-scope.ts';
import { settingsText } from '../../text/settings-text.ts';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { schemaFaults } from '../../ui/schema-form/schema-faults.ts';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { showToast } from '../../ui/toasts.tsx';
import { FRAME, Note, Panel } from '../panel.tsx';
import { changedValues, splitSchema } from './split-schema.ts';

/** The host's own settings, as its schema describes them. */
export function HostSettings({
  link,
  config,
}: {
  readonly link: HostLink;
  readonly config: RootConfigState;
}) {
  const { usual, limits } = splitSchema(config.schema);
  const isAdmin = useIsAdmin(link);
  return (
    <Panel title={settingsText.hostSettings} description={settingsText.hostSettingsExplain}>
      {!isAdmin && <Note>{settingsText.adminsChange}</Note>}
      <div className={classes(FRAME, 'p-4')}>
        <SettingsForm link={link} schema={usual} values={config.values} mayChange={isAdmin} />
      </div>
      {Object.keys(limits.properties).length > 0 && (
        <details className={classes(FRAME, 'group')}>
          <summary className="flex cursor-pointer list-none items-center gap-2 px-4 py-3 text-sm font-medium select-none touch:py-3.5">
            <ChevronRight
              className="size-4 text-muted transition-transform group-open:rotate-90 rtl:rotate-180"
              aria-hidden
            />
            {settingsText.limits}
            <span className="font-normal text-muted">{settingsText.limitsExplain}</span>
          </summary>
          <div className="border-t border-line p-4">
            <SettingsForm link={link} schema={limits} values={config.values} mayChange={isAdmin} />
          </div>
        </details>
      )}
    </Panel>
  );
}

/** A form that sends its changes together. What other clients change meanwhile shows in the fields that were not touched. */
function SettingsForm({
  link,
  schema,
  values,
  mayChange,
}: {
  readonly link: HostLink;
  readonly schema: ConfigSchema;
  readonly values: Readonly<Record<string, unknown>>;
  readonly mayChange: boolean;
}) {
  const [touched, setTouched] = useState<Readonly<Record<string, unknown>>>({});
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The field may be out of sight in a long form.
    if (Object.keys(errors).length > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errors]);
  const shown = { ...values, ...touched };
  const changes = changedValues(schema, values, shown);
  const isChanged = Object.keys(changes).length > 0;
  const discard = (): void => {
    setTouched({});
    setErrors({});
    setProblem(undefined);
  };
  const save = async (): Promise<void> => {
    const faults = schemaFaults(schema, { ...values, ...changes });
    setErrors(faults);
    setProblem(undefined);
    if (Object.keys(faults).length > 0 || link.client === undefined) return;
    setBusy(true);
    const outcome = await link.client.dispatch(ROOT_URI, { type: 'root/configChanged', config: changes });
    setBusy(false);
    if (outcome.outcome === 'accepted') {
      setTouched({});
      showToast({ message: settingsText.saved });
    } else if (outcome.outcome === 'rejected' && outcome.details?.kind === 'parameter') {
      const { parameter, problem: fault } = outcome.details;
      if (Object.hasOwn(schema.properties, parameter)) setErrors({ [parameter]: fault });
      else setProblem(settingsText.refused(outcome.reason));
    } else {
      setProblem(
        settingsText.refused(outcome.outcome === 'ignored' ? settingsText.hostAway : outcome.reason),
      );
    }
  };
  return (
    <form
      ref={form}
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && !isBusy) void save();
      }}
    >
      <SchemaForm
        schema={schema}
        values={shown}
        errors={errors}
        isDisabled={!mayChange}
        onChange={(next, name) => {
          setTouched({ ...touched, [name]: next[name] });
          setErrors(Object.fromEntries(Object.entries(errors).filter(([key]) => key !== name)));
        }}
      />
      {problem !== undefined && (
        <p role="alert" className="text-sm text-danger">
          {problem}
        </p>
      )}
      {mayChange && (isChanged || Object.keys(errors).length > 0) && (
        <div className="sticky bottom-0 -mx-4 -mb-4 flex flex-wrap justify-end gap-2 border-t border-line bg-raised px-4 py-3">
          <Button onClick={discard}>{settingsText.discard}</Button>
          <Button type="submit" look="primary" disabled={isBusy || !isChanged}>
            {text.ui.save}
          </Button>
        </div>
      )}
    </form>
  );
}
