import {
  type ChildCustomization,
  type ClientPluginCustomization,
  type Customization,
  type CustomizationEnablement,
  ENABLEMENT_META,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ParsedChild } from './child.ts';
import type { ReadContainer } from './read-container.ts';

/** The host's decisions about a customization by its id, in the order of the protocol. */
export type DecisionsOf = (id: string) => CustomizationEnablement[];

/** A container with the decisions about it and its children. */
export interface ResolvedContainer {
  readonly customization: Exclude<Customization, { type: 'mcpServer' }>;
  /** Children in effect: they and their container are enabled [CUST-20]. */
  readonly inEffect: readonly ParsedChild[];
}

const isOn = (enablement: readonly CustomizationEnablement[]): boolean => enablement[0]?.enabled ?? true;

/**
 * Applies the decisions to a container. `published`: the plugin as a client published it. Its decisions for all sessions are the client's [CUST-22].
 * `hookMeta`: fields for the state of a hook. Default: none.
 */
export function resolve(
  { container, children }: ReadContainer,
  {
    decisionsOf,
    hookMeta,
    published,
  }: {
    readonly decisionsOf: DecisionsOf;
    readonly hookMeta?: (hook: ParsedChild) => Record<string, unknown>;
    readonly published?: ClientPluginCustomization;
  },
): ResolvedContainer {
  const { childEnablement = {} } = published ?? {};
  const ofChild = ({ id, name }: ChildCustomization): CustomizationEnablement[] =>
    published === undefined
      ? decisionsOf(id)
      : joined(decisionsOf(id), Object.hasOwn(childEnablement, name) ? childEnablement[name] : undefined);
  const own =
    published === undefined
      ? decisionsOf(container.id)
      : joined(decisionsOf(container.id), published.enablement);
  const shown = children.map((each) => {
    const { child } = each;
    return decidedChild(
      child.type === 'hook' && hookMeta !== undefined ? { ...child, _meta: hookMeta(each) } : child,
      ofChild(child),
    );
  });
  return {
    customization:
      container.type === 'plugin'
        ? { ...container, ...defined({ enablement: filled(own) }), children: shown }
        : { ...container, enabled: isOn(own), ...metaOf(own), children: shown },
    inEffect: isOn(own) ? children.filter(({ child }) => isOn(ofChild(child))) : [],
  };
}

function decidedChild(child: ChildCustomization, enablement: CustomizationEnablement[]): ChildCustomization {
  if (child.type === 'mcpServer') return { ...child, ...defined({ enablement: filled(enablement) }) };
  if (enablement.length === 0) return child;
  return { ...child, enabled: isOn(enablement), _meta: { ...child._meta, ...metaOf(enablement)._meta } };
}

const filled = (enablement: CustomizationEnablement[]): CustomizationEnablement[] | undefined =>
  enablement.length === 0 ? undefined : enablement;

const metaOf = (enablement: CustomizationEnablement[]): { _meta?: Record<string, unknown> } =>
  enablement.length === 0 ? {} : { _meta: { [ENABLEMENT_META]: enablement } };

/** The decisions of the host for this session and directory, then the client's for all sessions. */
function joined(
  own: readonly CustomizationEnablement[],
  clients: readonly CustomizationEnablement[] = [],
): CustomizationEnablement[] {
  const narrow = own.filter(({ kind }) => kind !== 'global');
  const global = clients.find(({ kind }) => kind === 'global');
  return global === undefined ? narrow : [...narrow, { kind: 'global', enabled: global.enabled }];
}
