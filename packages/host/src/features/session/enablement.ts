import type { SessionCustomizationToggledAction, SessionState } from '@agenthost/protocol';
import { type Rejection, reject } from '../../handler-port/channel-module.ts';

const ORDER = ['session', 'workspace', 'global'] as const;

/** Why decisions about a customization are refused; `undefined` if they are not: at most one of each kind, in the order of the protocol [CUST-20]. */
export function checkEnablement(
  { enablement }: SessionCustomizationToggledAction,
  { workingDirectories = [] }: SessionState,
): Rejection | undefined {
  const places = enablement.map(({ kind }) => ORDER.indexOf(kind));
  if (places.some((place, index) => place <= (places[index - 1] ?? -1)))
    return reject(
      'invalidEnablement',
      `expected at most one decision of each kind, in the order ${ORDER.join(', ')}`,
    );
  const foreign = enablement.find((each) => each.kind === 'workspace' && each.uri !== workingDirectories[0]);
  return foreign === undefined
    ? undefined
    : reject(
        'invalidEnablement',
        'the decision for a workspace must name the primary directory of the session',
      );
}
