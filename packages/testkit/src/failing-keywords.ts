import type { AddedStep, DemoKeyword } from '@agenthost/agents';
import { AgentError } from '@agenthost/host/agent';

const alone = (rest: string, step: AddedStep): AddedStep | undefined => (rest === '' ? step : undefined);

/** Keywords for `createDemoProvider` that make the demo agent break the provider contract. */
export const failingKeywords: readonly DemoKeyword[] = [
  {
    words: ['silence'],
    usage: '',
    description: 'produces no output and reports no usage',
    read: (rest) => alone(rest, { kind: 'added', skipsUsage: true, run: () => undefined }),
  },
  {
    words: ['forget'],
    usage: '',
    description: 'ends the turn while a tool call is still running',
    read: (rest) =>
      alone(rest, {
        kind: 'added',
        run: ({ output }) =>
          output
            .toolCall({ toolName: 'ponder', displayName: 'Ponder' })
            .run({ invocationMessage: 'Ponder, and forget to say so' }),
      }),
  },
  {
    words: ['crash'],
    usage: '[reason]',
    description: 'exits in the middle of the turn, as a process that dies',
    read: (reason) => ({
      kind: 'added',
      run: ({ host, endSession }) => {
        const error = new AgentError('agentExited', reason === '' ? 'Crashed, as asked' : reason);
        host.exited(error.message);
        endSession(error);
        throw error;
      },
    }),
  },
  {
    words: ['stubborn'],
    usage: '',
    description: 'runs until the host terminates the session; a cancel has no effect',
    read: (rest) =>
      alone(rest, {
        kind: 'added',
        run: ({ output, sessionEnd }) => {
          output.activity('Hanging, and deaf to cancelling');
          return new Promise((_resolve, reject) => {
            const end = (): void => reject(sessionEnd.reason);
            if (sessionEnd.aborted) end();
            else sessionEnd.addEventListener('abort', end, { once: true });
          });
        },
      }),
  },
];
