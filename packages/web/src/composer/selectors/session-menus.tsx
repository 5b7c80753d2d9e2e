import type { SessionHandle } from '@agenthost/client';
import type { SessionConfigPropertySchema } from '@agenthost/protocol';
import { ShieldCheck, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toasts.tsx';
import { ChoiceButton } from './choice-button.tsx';
import { ConfigDialog } from './config-dialog.tsx';

/** Settings that are chosen in the row of the message field; the others are in a dialog. */
const IN_ROW = ['approvals', 'mode'];

/** Settings that a form cannot show. */
const LEFT_OUT = ['metadata'];

/** The settings of a session that may change while it exists [SESS-9]. */
export function SessionMenus({ session }: { readonly session: SessionHandle }) {
  const config = useSelected(session.mirror, (state) => state.config);
  const [isOpen, setOpen] = useState(false);
  if (config === undefined) return null;
  const properties = Object.entries(config.schema.properties).filter(
    ([key, property]) =>
      property.sessionMutable === true && property.readOnly !== true && !LEFT_OUT.includes(key),
  );
  const change = (key: string, value: unknown): void => {
    void session.configure({ [key]: value }).then((outcome) => {
      if (outcome.outcome === 'rejected' || outcome.outcome === 'dropped')
        showToast({ message: text.composer.configRejected(visibleText(outcome.reason)), kind: 'error' });
    });
  };
  const inRow = IN_ROW.flatMap((key) =>
    properties.filter(([name, { enum: choices }]) => name === key && choices !== undefined),
  );
  return (
    <>
      {inRow.map(([key, property]) => (
        <EnumMenu
          key={key}
          property={property}
          value={config.values[key] ?? property.default}
          onChange={(value) => change(key, value)}
        />
      ))}
      {properties.length > inRow.length && (
        <IconButton label={text.composer.sessionSettings} size="small" onClick={() => setOpen(true)}>
          <SlidersHorizontal className="size-3.5" aria-hidden />
        </IconButton>
      )}
      {isOpen && (
        <ConfigDialog
          title={text.composer.sessionSettings}
          properties={properties}
          values={config.values}
          onChange={change}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function EnumMenu({
  property: { title, enum: choices = [], enumLabels = [] },
  value,
  onChange,
}: {
  readonly property: SessionConfigPropertySchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}) {
  const labelOf = (index: number): string => enumLabels[index] ?? String(choices[index]);
  const index = choices.findIndex((choice) => choice === value);
  return (
    <Menu
      align="start"
      entries={choices.map((choice, at) => ({
        label: visibleText(labelOf(at)),
        isChosen: at === index,
        onSelect: () => onChange(choice),
      }))}
    >
      <ChoiceButton
        isShort
        name={visibleText(title)}
        value={index < 0 ? title : labelOf(index)}
        icon={<ShieldCheck className="size-3.5 shrink-0" aria-hidden />}
      />
    </Menu>
  );
}
