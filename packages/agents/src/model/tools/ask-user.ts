import type { ChatInputAnswer, ChatInputQuestion } from '@agenthost/protocol';
import { flagIn, textIn } from './input.ts';
import { type ModelTool, succeed, ToolFailure } from './tool.ts';

const QUESTION = 'question';

/** Asks people a question, and waits for the answer. */
export const askUserTool: ModelTool = {
  name: 'ask_user',
  displayName: 'Ask',
  kind: 'think',
  description:
    'Asks the user one question and waits for the answer. With "options" the user chooses, or writes something else. Ask only what you cannot find out yourself.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string' },
      options: { type: 'array', items: { type: 'string' } },
      multiple: { type: 'boolean', description: 'whether several options may be chosen' },
    },
    required: ['question'],
  },
  async run(input, run) {
    const question = textIn(input, 'question');
    run.handle.run({ invocationMessage: question, toolInput: run.toolInput });
    const { response, answers } = await run.output.ask(
      { questions: [questionOf(question, optionsIn(input['options']), flagIn(input, 'multiple'))] },
      run.signal,
    );
    run.signal.throwIfAborted();
    const text =
      response === 'accept' ? answerText(answers[QUESTION]) : 'The user did not answer the question.';
    return succeed(run, { past: question, text });
  },
};

function optionsIn(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((option) => typeof option === 'string')) return value;
  throw new ToolFailure('"options": expected a list of strings');
}

function questionOf(message: string, options: readonly string[], isMultiple: boolean): ChatInputQuestion {
  if (options.length === 0) return { kind: 'text', id: QUESTION, message, required: true };
  return {
    kind: isMultiple ? 'multi-select' : 'single-select',
    id: QUESTION,
    message,
    required: true,
    allowFreeformInput: true,
    options: [...new Set(options)].map((label) => ({ id: label, label })),
  };
}

function answerText(answer: ChatInputAnswer | undefined): string {
  if (answer === undefined || answer.state === 'skipped') return 'The user skipped the question.';
  const { value } = answer;
  const chosen = Array.isArray(value.value) ? value.value : [String(value.value)];
  const free = 'freeformValues' in value ? (value.freeformValues ?? []) : [];
  return [...chosen, ...free].filter((text) => text !== '').join(', ') || '(an empty answer)';
}
