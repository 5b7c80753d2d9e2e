import { AgentError, type AgentSessionHost, type TurnOutput } from '@agenthost/host/agent';
import type { SeededRandom } from './seeded-random.ts';

const CALLS = {
  sameIdTwice: 3,
  completeAtOnce: 3,
  contentBeforeRun: 2,
  confirmAfterEnd: 2,
  inputAfterEnd: 1,
  confirmTwice: 2,
  hugeText: 1,
  strangeText: 2,
  emptyText: 1,
  unknownWorker: 1,
  turnAfterWorker: 1,
  strangeTool: 1,
  emptyQuestion: 1,
  exit: 0.5,
  memory: 1,
  activity: 1,
} as const;

/**
 * Misuses a turn once, against the agent contract. `onFault` is called with errors that the contract does not
 * include.
 */
export function misuse(
  random: SeededRandom,
  output: TurnOutput,
  host: AgentSessionHost,
  onFault: (error: unknown) => void,
): void {
  act(random, output, host).catch((error: unknown) => {
    if (!(error instanceof AgentError)) onFault(error);
  });
}

async function act(random: SeededRandom, output: TurnOutput, host: AgentSessionHost): Promise<void> {
  const call = (toolCallId = `bad-${random.int(3)}`) =>
    output.toolCall({ toolCallId, toolName: 'spoil', displayName: 'Spoil' });
  const done = { success: true, pastTenseMessage: 'Spoiled' };
  const asking = { invocationMessage: 'Spoil', toolInput: random.hex(3) };
  switch (random.weighted(CALLS)) {
    case 'sameIdTwice': {
      const [one, other] = [call('twin'), call('twin')];
      one.run(asking);
      await other.confirm(asking);
      await Promise.all([one.complete(done), other.complete({ ...done, success: false })]);
      return;
    }
    case 'completeAtOnce':
      await call().complete(done);
      return;
    case 'contentBeforeRun': {
      const one = call();
      one.content([{ type: 'text', text: 'early' }]);
      one.run(asking);
      one.run(asking);
      return;
    }
    case 'confirmAfterEnd': {
      const one = call();
      one.run(asking);
      await one.complete(done);
      await one.confirm(asking);
      one.content([{ type: 'text', text: 'after' }]);
      await one.complete(done, { requiresResultConfirmation: true });
      return;
    }
    case 'inputAfterEnd': {
      const one = call();
      one.run(asking);
      await one.input('late');
      await one.complete(done);
      await one.input('later', 'Later');
      return;
    }
    case 'confirmTwice': {
      const one = call();
      await Promise.all([one.confirm(asking), one.confirm({ ...asking, editable: true })]);
      return;
    }
    case 'hugeText':
      return output.markdown(random.hex(8).repeat(random.between(100, 4_000)));
    case 'strangeText':
      return output.reasoning(random.pick(['\ud800', '\u0000\u001b[2J', '__proto__', '\u2028"\\', '🙂']));
    case 'emptyText':
      return output.markdown('');
    case 'unknownWorker':
      output.spawnChat({ toolCallId: 'no such call', title: 'Nobody' });
      return;
    case 'turnAfterWorker': {
      const one = call();
      one.run(asking);
      const worker = output.spawnChat({ toolCallId: one.id, title: 'Late' });
      const turn = worker.turn('first');
      await one.complete(done);
      turn.end();
      turn.end();
      await turn.output.markdown('after the end');
      await worker.turn('second').output.markdown('from beyond');
      return;
    }
    case 'strangeTool':
      await output.clientTool({ clientId: 'nobody', toolName: 'none', toolInput: '{' });
      return;
    case 'emptyQuestion':
      await output.ask({ requestId: 'twin', questions: [] });
      return;
    case 'exit':
      host.exited('the schedule says so');
      return output.markdown('still here');
    case 'memory':
      return host.saveMemory(random.pick([0, '', { deep: [[[]]] }]));
    case 'activity':
      return output.activity(random.pick(['', ' ', '\n'.repeat(50)]));
  }
}
