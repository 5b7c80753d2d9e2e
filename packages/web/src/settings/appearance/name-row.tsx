import { useState } from 'react';
import { useSetting } from '../../live/setting.ts';
import { useLinks } from '../../live/use-hosts.ts';
import { MAX_PERSON_NAME, personNameSetting } from '../../presence/person-name.ts';
import { settingsText } from '../../text/settings-text.ts';
import { TextInput } from '../../ui/field.tsx';
import { SettingRow } from '../panel.tsx';

/** The person's name, stored when the field is left. The clients of the page introduce themselves again with it. */
export function NameRow() {
  const [name, setName] = useSetting(personNameSetting);
  const [typed, setTyped] = useState(name);
  const links = useLinks();
  const store = (): void => {
    const next = typed.trim();
    if (next === name) return;
    setName(next);
    for (const link of links) link.reopen();
  };
  return (
    <SettingRow label={settingsText.name} description={settingsText.nameExplain}>
      <TextInput
        aria-label={settingsText.name}
        className="max-w-56"
        autoComplete="nickname"
        maxLength={MAX_PERSON_NAME}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={store}
        onKeyDown={(event) => {
          if (event.key === 'Enter') store();
        }}
      />
    </SettingRow>
  );
}
