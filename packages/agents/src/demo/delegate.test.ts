import { tmpdir } from 'node:os';
import { openChat, type RunningTurn } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { createDemoProvider } from './provider.ts';

async function prompted(text: string): Promise<RunningTurn> {
  const chat = await openChat(createDemoProvider(), { workingDirectory: tmpdir() });
  return chat.prompt(text, { model: 'demo-fast' });
}

test('[CHAT-2] the demo agent delegates a prompt to a worker, whose chat shows its work', async () => {
  const turn = await prompted('delegate say looking; big 1; say found');
  await turn.done;
  const [worker] = turn.output.workers;
  expect(worker?.start).toMatchObject({ toolCallId: 'call-1', agentName: 'demo-worker' });
  expect(worker?.turns).toMatchObject([{ prompt: 'say looking; big 1; say found', isEnded: true }]);
  expect(worker?.turns[0]?.output.text).toMatch(/^looking.*found$/s);
  expect(worker?.turns[0]?.output.calls).toMatchObject([{ status: 'completed' }]);
  expect(turn.output.calls).toMatchObject([{ status: 'completed', result: { success: true } }]);
  expect(turn.output.text).toBe('The worker is done.');
  expect(turn.output.violations).toStrictEqual([]);
});

test('[CHAT-2] several workers run at once, and each asks in its own chat', async () => {
  const turn = await prompted('delegate 3 ask');
  const { workers } = turn.output;
  await turn.output.until(() => workers.length === 3);
  for (const worker of workers.toReversed()) {
    const call = await worker.turns[0]?.output.callIn('pending-confirmation');
    call?.answer({ approved: true });
  }
  await turn.done;
  expect(turn.output.calls.map(({ result }) => result?.success)).toStrictEqual([true, true, true]);
  expect(workers.map(({ turns }) => turns[0]?.output.text)).toStrictEqual(Array(3).fill('Pondered.'));
  expect(turn.output.text).toBe('All 3 workers are done.');
});

test('[CHAT-2] a failed worker fails its call, but not the turn', async () => {
  const turn = await prompted('delegate fail no luck');
  await turn.done;
  expect(turn.output.workers[0]?.turns[0]?.error).toMatchObject({
    errorType: 'demoFailed',
    message: 'no luck',
  });
  expect(turn.output.calls).toMatchObject([{ result: { success: false, error: { message: 'no luck' } } }]);
  expect(turn.output.text).toBe('1 of 1 failed: no luck.');
});

test('[CHAT-2] a worker can delegate too', async () => {
  const turn = await prompted('delegate delegate say deep down');
  await turn.done;
  const outer = turn.output.workers[0]?.turns[0]?.output;
  expect(outer?.workers[0]?.turns[0]?.output.text).toBe('deep down');
  expect(outer?.text).toBe('The worker is done.');
});

test('[CHAT-2] a cancelled turn ends its workers', async () => {
  const turn = await prompted('delegate hang');
  await turn.output.until(() => turn.output.workers[0]?.turns[0]);
  turn.controller.abort();
  await expect(turn.done).rejects.toThrow(/abort/i);
  expect(turn.output.workers[0]?.turns[0]?.isEnded).toBe(true);
});
