import type { QuietHours } from '@agenthost/protocol';
import { settingsText } from '../../text/settings-text.ts';
import { language } from '../../text/text.ts';
import { Field, Select, Switch, TextInput } from '../../ui/field.tsx';
import { SettingRow } from '../panel.tsx';
import type { DeviceChange } from './device-change.ts';
import { quietText } from './quiet-text.ts';

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** All time zones that this browser knows, its own among them. */
const ZONES = Array.from(new Set([OWN_ZONE, ...Intl.supportedValuesOf('timeZone')])).sort();

const USUAL: QuietHours = { from: '22:00', to: '07:00', timeZone: OWN_ZONE };

/** The time of each day without notifications. */
export function QuietHoursRow({
  quietHours,
  onChange,
}: {
  readonly quietHours: QuietHours | undefined;
  readonly onChange: (change: DeviceChange) => void;
}) {
  const set = (part: Partial<QuietHours>): void => {
    if (quietHours !== undefined) onChange({ quietHours: { ...quietHours, ...part } });
  };
  return (
    <div>
      <SettingRow
        label={settingsText.quietHours}
        description={
          quietHours === undefined ? settingsText.quietExplain : quietText(quietHours, OWN_ZONE, language)
        }
      >
        <Switch
          aria-label={settingsText.quietHours}
          isOn={quietHours !== undefined}
          onChange={(isOn) => onChange({ quietHours: isOn ? USUAL : null })}
        />
      </SettingRow>
      {quietHours !== undefined && (
        <div className="grid grid-cols-2 gap-3 px-4 pb-4 sm:grid-cols-[8rem_8rem_minmax(0,1fr)]">
          <TimeField
            label={settingsText.quietFrom}
            value={quietHours.from}
            onChange={(from) => set({ from })}
          />
          <TimeField label={settingsText.quietTo} value={quietHours.to} onChange={(to) => set({ to })} />
          <div className="col-span-2 sm:col-span-1">
            <Field label={settingsText.timeZone}>
              {(attributes) => (
                <Select
                  {...attributes}
                  value={quietHours.timeZone}
                  onChange={({ target }) => set({ timeZone: target.value })}
                >
                  {(ZONES.includes(quietHours.timeZone) ? ZONES : [quietHours.timeZone, ...ZONES]).map(
                    (zone) => (
                      <option key={zone} value={zone}>
                        {zone.replaceAll('_', ' ')}
                      </option>
                    ),
                  )}
                </Select>
              )}
            </Field>
          </div>
        </div>
      )}
    </div>
  );
}

function TimeField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(attributes) => (
        <TextInput
          {...attributes}
          type="time"
          required
          value={value}
          onChange={({ target }) => {
            // A cleared field has no time.
            if (/^\d\d:\d\d$/.test(target.value)) onChange(target.value);
          }}
        />
      )}
    </Field>
  );
}
