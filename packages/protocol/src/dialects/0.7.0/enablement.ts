import { isObject, type Json, type Look, listOf, without } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** Whether a list of decisions enables a customization [CUST-20]. */
function isEnabledBy(enablement: unknown): unknown {
  const [first] = listOf(enablement);
  return isObject(first) ? (first.enabled ?? true) : true;
}

const down = (customization: Json): Json => ({
  ...without(customization, 'enablement', 'childEnablement'),
  enabled: isEnabledBy(customization.enablement),
});

/** A decision of before 0.8 is one for the session: `true` needs none. */
function up(customization: Json): Json {
  if (!Object.hasOwn(customization, 'enabled')) return customization;
  const rest = without(customization, 'enabled');
  return customization.enabled === false
    ? { ...rest, enablement: [{ kind: 'session', enabled: false }] }
    : rest;
}

/** What a client says of its own plugin holds everywhere [CUST-22]. */
function ofClientPlugin(plugin: Json): Json {
  if (!Object.hasOwn(plugin, 'enabled')) return plugin;
  const rest = without(plugin, 'enabled');
  return plugin.enabled === false ? { ...rest, enablement: [{ kind: 'global', enabled: false }] } : rest;
}

/** Customizations had a flag instead of a list of decisions. */
export const enablement: Reshaping = {
  down: {
    shapes: { PluginCustomization: down, McpServer: down, ClientPlugin: down },
    actions: {
      'session/customizationToggled': ({ enablement: decisions, ...action }) => ({
        ...action,
        enabled: isEnabledBy(decisions),
      }),
    },
  },
  up: {
    shapes: { PluginCustomization: up, McpServer: up, ClientPlugin: ofClientPlugin },
    actions: {
      'session/customizationToggled': (action, look) => {
        if (!Object.hasOwn(action, 'enabled')) return action;
        const { enabled, ...rest } = action;
        return { ...rest, enablement: [{ kind: 'session', enabled }, ...otherDecisions(action.id, look)] };
      },
    },
  },
};

/** The decisions about a customization, except that for the session. */
function otherDecisions(id: unknown, { before }: Look): Json[] {
  const top = isObject(before) ? listOf(before.customizations).filter(isObject) : [];
  const children = top.flatMap((entry) => listOf(entry.children)).filter(isObject);
  const found = [...top, ...children].find((entry) => entry.id === id);
  return listOf(found?.enablement)
    .filter(isObject)
    .filter(({ kind }) => kind !== 'session');
}
