import { listIn, textIn } from './input.ts';
import { type ModelTool, succeed, ToolFailure } from './tool.ts';

const BOXES = { pending: '[ ]', in_progress: '[ ] ▸', completed: '[x]' } as const;
type Status = keyof typeof BOXES;

const isStatus = (value: string): value is Status => Object.hasOwn(BOXES, value);

/** Shows a plan, or its progress. */
export const updatePlanTool: ModelTool = {
  name: 'update_plan',
  displayName: 'Plan',
  kind: 'think',
  description: 'Shows the user your plan. Give all steps each time; at most one is in_progress.',
  inputSchema: {
    type: 'object',
    properties: {
      steps: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            content: { type: 'string' },
            status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
          },
          required: ['content', 'status'],
        },
      },
    },
    required: ['steps'],
  },
  async run(input, run) {
    const entries = listIn(input, 'steps').map((step) => {
      const status = textIn(step, 'status');
      if (!isStatus(status))
        throw new ToolFailure(`"status": expected pending, in_progress or completed, got ${status}`);
      return { content: textIn(step, 'content').replaceAll(/\s*\n\s*/g, ' '), status };
    });
    const markdown = entries.map(({ content, status }) => `- ${BOXES[status]} ${content}`).join('\n');
    run.handle.run({ invocationMessage: { markdown }, toolInput: run.toolInput });
    run.output.activity(entries.find(({ status }) => status === 'in_progress')?.content);
    return succeed(run, { past: { markdown }, text: 'The user sees the plan.' });
  },
};
