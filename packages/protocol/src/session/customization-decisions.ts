import type { ChildCustomization, Customization } from './customization.ts';
import type { CustomizationEnablement } from './customization-base.ts';

/** Key of `_meta` with the decisions about a customization whose type has only the flag `enabled`. */
export const ENABLEMENT_META = 'agenthost.enablement';

/** Where a decision holds: in one session, in all sessions of a primary directory, or everywhere. */
export type EnablementLevel = CustomizationEnablement['kind'];

const ORDER: readonly EnablementLevel[] = ['session', 'workspace', 'global'];

/** The decisions about a customization, the one that holds first [CUST-20]. Empty: nobody has decided. */
export function decisionsAbout(customization: Customization | ChildCustomization): CustomizationEnablement[] {
  if (customization.type === 'plugin' || customization.type === 'mcpServer')
    return customization.enablement ?? [];
  const stored = customization._meta?.[ENABLEMENT_META];
  return Array.isArray(stored) ? stored.filter(isDecision) : [];
}

/** Whether a customization is enabled. A child is in effect only while its container is enabled too [CUST-1]. */
export function isEnabled(customization: Customization | ChildCustomization): boolean {
  if (customization.type === 'plugin' || customization.type === 'mcpServer')
    return customization.enablement?.[0]?.enabled ?? true;
  return customization.enabled ?? true;
}

/**
 * The list for `session/customizationToggled` after one decision [CUST-21]; `enabled` of `undefined` takes the decision back. `workspace`: the
 * primary directory of the session, without which there is no decision of that level.
 */
export function withDecision(
  decisions: readonly CustomizationEnablement[],
  {
    level,
    enabled,
    workspace,
  }: { level: EnablementLevel; enabled: boolean | undefined; workspace?: string | undefined },
): CustomizationEnablement[] {
  const others = decisions.filter(({ kind }) => kind !== level);
  const added: CustomizationEnablement[] = [];
  if (enabled !== undefined && level !== 'workspace') added.push({ kind: level, enabled });
  else if (enabled !== undefined && workspace !== undefined)
    added.push({ kind: 'workspace', uri: workspace, enabled });
  return [...others, ...added].toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));
}

function isDecision(value: unknown): value is CustomizationEnablement {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('enabled' in value))
    return false;
  return ORDER.some((kind) => kind === value.kind) && typeof value.enabled === 'boolean';
}
