import type { ChildCustomization, Customization } from '@agenthost/protocol';
import { customizationsText as text } from '../text/customizations-text.ts';

/** The problems of a container, one a line: `rules/a.mdc:3:14: alwaysApply: expected true or false`. */
export function faultsOf(customization: Customization | ChildCustomization): readonly string[] {
  const load = 'load' in customization ? customization.load : undefined;
  return load !== undefined && 'message' in load ? load.message.split('\n') : [];
}

/** Facts of a child in short texts. They may come from a hostile file. */
export function factsOf(child: Customization | ChildCustomization): readonly string[] {
  switch (child.type) {
    case 'agent': {
      const { model, tools = [] } = child;
      return [
        ...(model === undefined ? [] : [text.modelOf(model)]),
        ...(tools.length === 0 ? [] : [text.toolsOf(tools.join(', '))]),
      ];
    }
    case 'rule': {
      const { globs = [], alwaysApply } = child;
      if (globs.length > 0) return [text.forFiles(globs.join(', '))];
      return alwaysApply === true ? [text.always] : [];
    }
    case 'hook':
      return hookFacts(child._meta?.['agenthost.hook']);
    case 'mcpServer':
      return [child.state.kind];
    default:
      return [];
  }
}

/** What a hook runs, and whether a person has allowed it. Other hosts tell neither. */
function hookFacts(meta: unknown): readonly string[] {
  if (typeof meta !== 'object' || meta === null || !('commands' in meta) || !Array.isArray(meta.commands))
    return [];
  const isAllowed = 'allowed' in meta && meta.allowed === true;
  const commands: unknown[] = meta.commands;
  return [
    isAllowed ? text.hookAllowed : text.hookAsks,
    ...commands.filter((each): each is string => typeof each === 'string'),
  ];
}
