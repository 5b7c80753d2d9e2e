import { automationsText } from '../text/automations-text.ts';
import { Field, Select, TextArea, TextInput } from '../ui/field.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import type { Repeat, ScheduleChoice } from './schedule-choice.ts';
import { WEEKDAYS } from './schedule-words.ts';
import { eventKey, type useAutomationForm } from './use-automation-form.ts';

const REPEATS: readonly Repeat[] = ['never', 'hourly', 'daily', 'weekdays', 'weekly', 'monthly', 'custom'];

/** When an automation runs, with the next times. */
export function ScheduleFields({ form }: { readonly form: ReturnType<typeof useAutomationForm> }) {
  const { values, fault, preview } = form;
  const { schedule, zone } = values;
  const change = (changes: Partial<ScheduleChoice>): void =>
    form.set({ schedule: { ...schedule, ...changes } });
  const error = fault?.field === 'schedule' ? fault.message : undefined;
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={automationsText.repeat} error={schedule.repeat === 'custom' ? undefined : error}>
          {(attributes) => (
            <Select
              {...attributes}
              value={schedule.repeat}
              onChange={({ currentTarget }) =>
                change({ repeat: REPEATS.find((each) => each === currentTarget.value) ?? 'never' })
              }
            >
              {REPEATS.map((each) => (
                <option key={each} value={each}>
                  {automationsText.repeats[each]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <PlaceFields schedule={schedule} error={error} onChange={change} />
        {schedule.repeat !== 'never' && (
          <Field
            label={automationsText.zone}
            description={automationsText.zoneHint}
            error={fault?.field === 'zone' ? fault.message : undefined}
          >
            {(attributes) => (
              <TextInput
                {...attributes}
                autoComplete="off"
                spellCheck={false}
                value={zone}
                onChange={(event) => form.set({ zone: event.currentTarget.value.trim() })}
              />
            )}
          </Field>
        )}
      </div>
      {'times' in preview && preview.times.length > 0 && (
        <p role="status" className="text-xs text-muted">
          {automationsText.nextTimes(preview.times)}
        </p>
      )}
      <EventFields form={form} />
    </div>
  );
}

/** The events of the host after which the automation runs too. */
function EventFields({ form }: { readonly form: ReturnType<typeof useAutomationForm> }) {
  const { eventTypes, values } = form;
  return eventTypes.map(({ type, title, description, events }) => (
    <fieldset key={type} className="flex flex-col gap-1 rounded-xl border border-line p-4">
      <legend className="px-1 text-sm font-medium">
        {automationsText.alsoWhen} <SafeText>{title}</SafeText>
      </legend>
      {events.map(({ id, title: name }) => {
        const key = eventKey(type, id);
        return (
          <label key={key} className="flex items-center gap-2 text-sm touch:min-h-11">
            <input
              type="checkbox"
              className="size-4 accent-(--c-accent)"
              checked={values.events.includes(key)}
              onChange={({ currentTarget: { checked } }) =>
                form.set({
                  events: checked ? [...values.events, key] : values.events.filter((each) => each !== key),
                })
              }
            />
            <SafeText>{name}</SafeText>
          </label>
        );
      })}
      {description !== undefined && (
        <p className="text-xs text-muted">
          <SafeText>{description}</SafeText>
        </p>
      )}
    </fieldset>
  ));
}

function PlaceFields({
  schedule,
  error,
  onChange,
}: {
  readonly schedule: ScheduleChoice;
  readonly error: string | undefined;
  readonly onChange: (changes: Partial<ScheduleChoice>) => void;
}) {
  const { repeat, time, minute, weekday, day, expressions } = schedule;
  if (repeat === 'custom')
    return (
      <Field label={automationsText.cron} description={automationsText.cronHint} error={error}>
        {(attributes) => (
          <TextArea
            {...attributes}
            rows={2}
            spellCheck={false}
            className="font-mono"
            placeholder="*/30 9-17 * * MON-FRI"
            value={expressions}
            onChange={(event) => onChange({ expressions: event.currentTarget.value })}
          />
        )}
      </Field>
    );
  return (
    <>
      {repeat === 'hourly' && (
        <NumberField
          label={automationsText.minute}
          value={minute}
          min={0}
          max={59}
          onChange={(value) => onChange({ minute: value })}
        />
      )}
      {repeat === 'weekly' && (
        <Field label={automationsText.weekday}>
          {(attributes) => (
            <Select
              {...attributes}
              value={weekday}
              onChange={(event) => onChange({ weekday: Number(event.currentTarget.value) })}
            >
              {WEEKDAYS.map((name, index) => (
                <option key={name} value={index}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {repeat === 'monthly' && (
        <NumberField
          label={automationsText.day}
          description={automationsText.dayHint}
          value={day}
          min={1}
          max={31}
          onChange={(value) => onChange({ day: value })}
        />
      )}
      {repeat !== 'never' && repeat !== 'hourly' && (
        <Field label={automationsText.time}>
          {(attributes) => (
            <TextInput
              {...attributes}
              type="time"
              value={time}
              onChange={({ currentTarget }) => {
                if (currentTarget.value !== '') onChange({ time: currentTarget.value });
              }}
            />
          )}
        </Field>
      )}
    </>
  );
}

function NumberField({
  label,
  description,
  value,
  min,
  max,
  onChange,
}: {
  readonly label: string;
  readonly description?: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}) {
  return (
    <Field label={label} {...(description === undefined ? {} : { description })}>
      {(attributes) => (
        <TextInput
          {...attributes}
          type="number"
          inputMode="numeric"
          min={min}
          max={max}
          value={value}
          onChange={({ currentTarget }) =>
            onChange(Math.min(max, Math.max(min, Math.trunc(Number(currentTarget.value)))))
          }
        />
      )}
    </Field>
  );
}
