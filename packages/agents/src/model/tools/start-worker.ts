import { textIn } from './input.ts';
import { type ModelTool, succeed } from './tool.ts';

/** Longest title of a worker, in UTF-16 code units. */
const TITLE_LENGTH = 80;

/** Gives a task to a worker in a chat of its own. */
export const startWorkerTool: ModelTool = {
  name: 'start_worker',
  displayName: 'Worker',
  description:
    'Gives a task to a worker with the same tools and a conversation of its own, and returns its report. The worker knows only the prompt: say everything it needs. Several calls in one step work at the same time.',
  inputSchema: {
    type: 'object',
    properties: { title: { type: 'string' }, prompt: { type: 'string' } },
    required: ['title', 'prompt'],
  },
  async run(input, run) {
    const title = textIn(input, 'title').slice(0, TITLE_LENGTH);
    const prompt = textIn(input, 'prompt');
    run.handle.run({ invocationMessage: title, toolInput: run.toolInput });
    const report = await run.work({ toolCallId: run.handle.id, title, prompt });
    return succeed(run, { past: `${title}: done`, text: report === '' ? '(an empty report)' : report });
  },
};
