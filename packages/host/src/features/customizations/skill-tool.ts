import type { ToolCallResult } from '@agenthost/protocol';
import type { HostTool } from '../../agents/tool-call.ts';
import { failure } from '../../turns/tools/client-tool.ts';
import { inputObject, type ToolSource } from '../../turns/tools/host-tools.ts';
import type { PrivatePaths } from '../../workspace/private-paths.ts';
import { isWithin } from '../../workspace/real-path.ts';
import { agentPath, hostPath, type ParsedChild } from './child.ts';
import { hostFiles } from './host-files.ts';
import { SourceFault } from './source-files.ts';

/** Name of the tool with which agents read skills that are not in their folders. */
export const SKILL_TOOL = 'read_skill';

const TOOL: HostTool = {
  name: SKILL_TOOL,
  definition: {
    name: SKILL_TOOL,
    title: 'Read skill',
    description:
      'Reads a skill by its name: instructions for a kind of task. With "path" it reads another file in the folder of the skill.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'name of the skill' },
        path: { type: 'string', description: 'a file in the folder of the skill, as its text names it' },
      },
      required: ['name'],
    },
    annotations: { readOnlyHint: true },
  },
};

/** Whether an agent that works in these folders cannot be expected to read the file of a customization. */
export function isElsewhere(customization: ParsedChild, folders: readonly string[]): boolean {
  const path = agentPath(customization, customization.child.uri);
  return path === undefined || !folders.some((folder) => isWithin(path, folder));
}

/** The tool that reads skills of the user and of clients, in sessions that have such skills. */
export function skillTools(parts: {
  readonly privatePaths: Pick<PrivatePaths, 'covers'>;
  /** The skills of a session that its agents may read with the tool. */
  skillsOf(session: string): readonly ParsedChild[];
}): ToolSource {
  const read = async (session: string, toolInput: string): Promise<ToolCallResult> => {
    const { name, path } = inputObject(toolInput) ?? {};
    const skills = parts.skillsOf(session);
    const skill = skills.find(({ child }) => child.name === name);
    if (skill === undefined) {
      const names = skills.map(({ child }) => child.name).join(', ');
      return failure('unknownSkill', `name: expected one of ${names}`);
    }
    if (path === undefined || path === '') return done(skill, skill.body);
    const root = hostPath(skill, skill.folder);
    if (typeof path !== 'string' || root === undefined)
      return failure('noFile', 'path: only the text of this skill can be read');
    const privatePaths = skill.copyRoot === undefined ? parts.privatePaths : { covers: async () => false };
    const files = hostFiles({ root, isConfined: true, privatePaths });
    try {
      const text = await files.read(path);
      return text === undefined
        ? failure('noFile', `path: the skill has no file ${path}`)
        : done(skill, text);
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      return failure('noFile', `path: ${error.message}`);
    }
  };
  return {
    list: (session) => (parts.skillsOf(session).length > 0 ? [TOOL] : []),
    run: async (turn, call) => {
      const handle = turn.toolCall({
        ...(call.toolCallId === undefined ? {} : { toolCallId: call.toolCallId }),
        toolName: SKILL_TOOL,
        displayName: TOOL.definition.title ?? SKILL_TOOL,
        kind: 'read',
      });
      handle.run({ invocationMessage: 'Read a skill', toolInput: call.toolInput });
      const result = await read(turn.session, call.toolInput);
      await handle.complete(result);
      return result;
    },
  };
}

const done = ({ child }: ParsedChild, text: string): ToolCallResult => ({
  success: true,
  pastTenseMessage: `Read the skill ${child.name}`,
  content: [{ type: 'text', text }],
});
