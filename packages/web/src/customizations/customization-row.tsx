import type { ChildCustomization, Customization, CustomizationEnablement } from '@agenthost/protocol';
import { decisionsAbout, type EnablementLevel, isEnabled } from '@agenthost/protocol';
import { Undo2 } from 'lucide-react';
import { customizationsText as text } from '../text/customizations-text.ts';
import { pathOf } from '../text/file-path.ts';
import { visibleText } from '../text/visible-text.ts';
import { IconButton } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { Switch } from '../ui/field.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { factsOf, faultsOf } from './customization-facts.ts';

type Any = Customization | ChildCustomization;

interface RowProps {
  readonly customization: Any;
  /** Whether its container is enabled. */
  readonly isContainerOn: boolean;
  /** Where a switch decides; `undefined`: this person may not decide. */
  readonly level: EnablementLevel | undefined;
  readonly onDecide: (customization: Any, enabled: boolean | undefined, level: EnablementLevel) => void;
  /** Name of the client that publishes it. */
  readonly publisher?: string | undefined;
}

/** One customization: type, name, what is known of it, its problems, and the switch. */
export function CustomizationRow({ customization, isContainerOn, level, onDecide, publisher }: RowProps) {
  const [decision] = decisionsAbout(customization);
  const isOn = isEnabled(customization);
  const name = visibleText(customization.name);
  const description = 'description' in customization ? customization.description : undefined;
  const isContainer = customization.type === 'plugin' || customization.type === 'directory';
  return (
    <div className="flex items-start gap-3">
      <div className={classes('min-w-0 flex-1', isOn && isContainerOn ? '' : 'opacity-60')}>
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="text-xs text-muted">{text.types[customization.type]}</span>
          <SafeText className={classes('min-w-0 break-words', isContainer ? 'font-semibold' : 'font-medium')}>
            {customization.name}
          </SafeText>
          {'version' in customization && customization.version !== undefined && (
            <SafeText className="text-xs text-muted">{customization.version}</SafeText>
          )}
          {publisher !== undefined && (
            <span className="text-xs text-muted">{text.fromClient(publisher)}</span>
          )}
        </p>
        {description !== undefined && (
          <p className="text-sm break-words text-muted">
            <SafeText>{description}</SafeText>
          </p>
        )}
        {factsOf(customization).map((fact) => (
          <p key={fact} className="font-mono text-xs break-words text-muted">
            <SafeText>{fact}</SafeText>
          </p>
        ))}
        {isContainer && (
          <p className="text-xs break-all text-faint" dir="ltr">
            <SafeText>{pathOf(customization.uri)}</SafeText>
          </p>
        )}
        <Faults customization={customization} />
        <Decided decision={decision} level={level} name={name} isOffWithContainer={isOn && !isContainerOn}>
          {(at) => onDecide(customization, undefined, at)}
        </Decided>
      </div>
      <Switch
        aria-label={text.enable(name)}
        isOn={isOn}
        disabled={level === undefined}
        onChange={(next) => level !== undefined && onDecide(customization, next, level)}
      />
    </div>
  );
}

/** The origin of the decision, and the button that takes it back. */
function Decided({
  decision,
  level,
  name,
  isOffWithContainer,
  children: onReset,
}: {
  readonly decision: CustomizationEnablement | undefined;
  readonly level: EnablementLevel | undefined;
  readonly name: string;
  readonly isOffWithContainer: boolean;
  readonly children: (level: EnablementLevel) => void;
}) {
  if (decision === undefined && !isOffWithContainer) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 text-xs text-muted">
      {isOffWithContainer && <span>{text.offWith}</span>}
      {decision !== undefined && <span>{text.decided[decision.kind]}</span>}
      {decision !== undefined && level !== undefined && (
        <IconButton label={text.reset(name)} size="small" onClick={() => onReset(decision.kind)}>
          <Undo2 className="size-3.5" aria-hidden />
        </IconButton>
      )}
    </p>
  );
}

function Faults({ customization }: { readonly customization: Any }) {
  const load = 'load' in customization ? customization.load?.kind : undefined;
  const faults = faultsOf(customization);
  if (load === undefined || load === 'loaded') return null;
  return (
    <div className={classes('mt-1 text-xs', load === 'error' ? 'text-danger' : 'text-warn')}>
      <p>{faults.length === 0 ? text.loads[load] : `${text.loads[load]}: ${text.faults(faults.length)}`}</p>
      <ul className="font-mono break-words">
        {faults.map((fault) => (
          <li key={fault}>
            <SafeText>{fault}</SafeText>
          </li>
        ))}
      </ul>
    </div>
  );
}
