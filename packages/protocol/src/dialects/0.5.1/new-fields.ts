import { dropping } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

const hidden = dropping('enabled', 'disableUserInvocation');

/** Fields that came with 0.5.2. */
export const newFields: Reshaping = {
  down: {
    shapes: {
      InitializeResult: dropping('serverInfo', 'terminalCommandPrefix'),
      PluginCustomization: dropping('version'),
      ClientPlugin: dropping('version'),
      DirectoryCustomization: dropping('version'),
      HookCustomization: dropping('enabled'),
      PromptCustomization: dropping('enabled'),
      RuleCustomization: dropping('enabled'),
      SkillCustomization: hidden,
      AgentCustomization: dropping('enabled', 'disableUserInvocation', 'disableModelInvocation'),
      ChangesetFile: dropping('reviewed'),
    },
  },
};
