import { type ChatState, errorOf } from '@agenthost/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { installAgents } from '../../scripts/install-agents.ts';
import { agree } from '../agree.ts';
import { agentAbilities } from './agent-abilities.ts';
import { agentPackages } from './agent-packages.ts';
import { callsOf, isSteering, pendingCall, present, textIn, textOf, until } from './chat-reading.ts';
import { untilGone } from './host-process.ts';
import { Stage } from './stage.ts';
import {
  afterTool,
  greeting,
  plantPrompt,
  recallPrompt,
  shellPrompt,
  slowPrompt,
  writePrompt,
} from './stand-in-model.ts';

const installed = await installAgents(agentPackages);
const TURN_TIMEOUT_MS = 180_000;
/** The host's mark for options that the agent itself remembers. */
const OWN_MEMORY = 'remembered by the agent itself';

for (const { agent, command, reason, tookMs } of installed) {
  console.log(`${agent.id} ${agent.version}: ${reason ?? command} (${tookMs} ms)`);
}

it('at least three third-party agents are installed', () => {
  expect(installed.filter(({ command }) => command !== undefined).length).toBeGreaterThanOrEqual(3);
});

describe.each(installed.filter(({ command }) => command !== undefined))('$agent.id', (installation) => {
  const stage = new Stage(installation);
  const { resumes, asksWith, afterDenial, showsOutput, steering } = agentAbilities[installation.agent.id];

  beforeAll(() => stage.open(), TURN_TIMEOUT_MS);
  afterAll(() => stage.close(), TURN_TIMEOUT_MS);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(await stage.evidence());
  });

  it('streams text to the client that asked and to one that watches', {
    timeout: TURN_TIMEOUT_MS,
  }, async () => {
    let pieceCount = 0;
    const stop = stage.watcher.chat.mirror.onAction(({ action }) => {
      if (action.type === 'chat/delta' || action.type === 'chat/responsePart') pieceCount += 1;
    });
    const turn = await stage.driver.prompt(plantPrompt('pelican')).result;
    await stage.settle();
    stop();
    expect(turn.state, errorOf(turn)?.message).toBe('complete');
    expect(textOf(turn)).toContain(greeting);
    expect(pieceCount).toBeGreaterThan(2);
    expect(stage.watcher.chat.mirror.confirmed.turns.at(-1)).toEqual(turn);
  });

  it('asks before it writes, and leaves the file unwritten when denied', {
    timeout: TURN_TIMEOUT_MS,
  }, async () => {
    const file = stage.file('denied.txt');
    const prompt = stage.driver.prompt(writePrompt(file, 'never to be read'));
    const call = await pendingCall(stage.driver);
    expect(await textIn(file)).toBeUndefined();
    expect(call.edits?.items.length ?? 0).toBe(asksWith === 'the change' ? 1 : 0);
    const option = call.options?.find(({ kind }) => kind === 'deny');
    const outcome = await stage.driver.deny(call.toolCallId, { optionId: present(option).id });
    expect(outcome).toMatchObject({ outcome: 'accepted' });
    const turn = await prompt.result;
    expect(turn.state, errorOf(turn)?.message).toBe('complete');
    expect(callsOf(turn)).toMatchObject([{ status: 'cancelled', reason: 'denied' }]);
    expect(await textIn(file)).toBeUndefined();
    expect(textOf(turn).includes(afterTool)).toBe(afterDenial === 'answers');
  });

  it('writes the file once the client that asked approves', { timeout: TURN_TIMEOUT_MS }, async () => {
    const file = stage.file('approved.txt');
    const prompt = stage.driver.prompt(writePrompt(file, 'approved by the one who asked'));
    const call = await pendingCall(stage.driver);
    expect(await textIn(file)).toBeUndefined();
    // Without an option the agent's own option for one call applies, so that the next write asks again.
    await stage.driver.approve(call.toolCallId);
    const turn = await prompt.result;
    expect(turn.state, errorOf(turn)?.message).toBe('complete');
    expect(callsOf(turn)).toMatchObject([{ status: 'completed', success: true, confirmed: 'user-action' }]);
    expect(await textIn(file)).toBe('approved by the one who asked');
    expect(textOf(turn)).toContain(afterTool);
  });

  it('[CHAT-8] shows the question to a watching client, whose approval is accepted while a later answer is rejected', {
    timeout: TURN_TIMEOUT_MS,
  }, async () => {
    const file = stage.file('watched.txt');
    const prompt = stage.driver.prompt(writePrompt(file, 'approved by the one who watched'));
    const shown = await pendingCall(stage.driver);
    const call = await pendingCall(stage.watcher);
    expect(call).toEqual(shown);
    const approved = await stage.watcher.approve(call.toolCallId);
    expect(approved).toMatchObject({ outcome: 'accepted' });
    // Late on purpose. The raw dispatch ignores an outcome that this client may know.
    const late = await stage.driverClient.dispatch(stage.driver.chat.mirror.uri, {
      type: 'chat/toolCallConfirmed',
      turnId: prompt.turnId,
      toolCallId: call.toolCallId,
      approved: false,
      reason: 'denied',
    });
    expect(late).toMatchObject({ outcome: 'rejected' });
    const turn = await prompt.result;
    expect(turn.state, errorOf(turn)?.message).toBe('complete');
    expect(await textIn(file)).toBe('approved by the one who watched');
    await stage.settle();
    await agree(stage.watcher.chat.mirror, stage.driver.chat.mirror);
  });

  it('lists its own “always” in its own words, and asks again about writes when that is revoked', {
    timeout: TURN_TIMEOUT_MS,
  }, async () => {
    const write = (name: string) => stage.driver.prompt(writePrompt(stage.file(name), name));
    const first = write('always-1.txt');
    const call = await pendingCall(stage.driver);
    // In any order that the agent gives them, the default choice holds once.
    expect(call.options?.[0]).toMatchObject({ kind: 'approve' });
    expect(call.options?.[0]?.label).not.toContain(OWN_MEMORY);
    const always = present(call.options?.find(({ label }) => label.includes(OWN_MEMORY)));
    await stage.driver.approve(call.toolCallId, { optionId: always.id });
    await first.result;
    const [approval, ...others] = await stage.driverClient.approvals(stage.driver.uri);
    expect(others).toEqual([]);
    expect(approval).toMatchObject({ covers: { kind: 'agent' } });
    expect(always.label).toBe(`${approval?.label} (${OWN_MEMORY})`);
    // The agent may or may not ask about another file now.
    await stage.driverClient.revokeApproval(present(approval).id);
    const again = write('always-2.txt');
    const asked = await pendingCall(stage.driver);
    expect(await textIn(stage.file('always-2.txt'))).toBeUndefined();
    await stage.driver.deny(asked.toolCallId);
    await again.result;
    // The new session remembers the conversation.
    const recalled = await stage.driver.prompt(recallPrompt).result;
    expect(textOf(recalled)).toContain('pelican');
  });

  it(`runs a shell command, and ${showsOutput ? 'shows' : 'does not show'} its output`, {
    timeout: TURN_TIMEOUT_MS,
  }, async () => {
    const prompt = stage.driver.prompt(shellPrompt("printf 'the-shell-says-%d' 42"));
    const stop = stage.driver.chat.mirror.onChange(({ activeTurn }) => {
      for (const call of callsOf(activeTurn)) {
        if (call.status === 'pending-confirmation') void stage.driver.approve(call.toolCallId);
      }
    });
    const turn = await prompt.result;
    stop();
    expect(turn.state, errorOf(turn)?.message).toBe('complete');
    expect(callsOf(turn)).toMatchObject([{ status: 'completed', success: true }]);
    expect(JSON.stringify(callsOf(turn)).includes('the-shell-says-42')).toBe(showsOutput);
    expect(textOf(turn)).toContain(afterTool);
  });

  it('[CHAT-5] stops when the watching client cancels, and takes the next prompt', {
    timeout: TURN_TIMEOUT_MS,
  }, async () => {
    const prompt = stage.driver.prompt(slowPrompt);
    await until(stage.watcher, (chat) => /word\d/.test(textOf(chat.activeTurn)));
    const startedAt = performance.now();
    await stage.watcher.cancel();
    const turn = await prompt.result;
    expect(turn.state).toBe('cancelled');
    // Before the host ends the agent by itself.
    expect(performance.now() - startedAt).toBeLessThan(9_000);
    const next = await stage.driver.prompt(plantPrompt('heron')).result;
    expect(next.state, errorOf(next)?.message).toBe('complete');
    expect(textOf(next)).toContain(greeting);
  });

  it(`[CHAT-12] gets a message during a turn, which ${steering}`, {
    timeout: TURN_TIMEOUT_MS,
  }, async () => {
    const text = plantPrompt('ibis');
    // A write, because not every agent asks before a harmless command.
    const prompt = stage.driver.prompt(writePrompt(stage.file('steered.txt'), 'written meanwhile'));
    const call = await pendingCall(stage.watcher);
    await stage.watcher.chat.steer(text);
    const isTaken = (chat: ChatState): boolean => (chat.activeTurn?.responseParts ?? []).some(isSteering);
    const settled = await until(
      stage.watcher,
      (chat) => isTaken(chat) || chat.queuedMessages?.[0]?.message.text === text,
    );
    expect(isTaken(settled)).toBe(steering === 'goes into the turn');
    expect(settled.steeringMessage).toBeUndefined();
    await stage.driver.approve(call.toolCallId);
    const turn = await prompt.result;
    expect(turn.state, errorOf(turn)?.message).toBe('complete');
    const isNext = steering === 'is the next turn';
    const { turns } = await until(
      stage.watcher,
      (chat) => (chat.turns.at(-1)?.message.text === text) === isNext && chat.activeTurn === undefined,
    );
    const last = present(turns.at(-1));
    expect(last.state, errorOf(last)?.message).toBe('complete');
    expect(textOf(last)).toContain(greeting);
  });

  it('[CHAT-6] remembers only the remaining turns of a truncated chat that continued with another text', {
    timeout: TURN_TIMEOUT_MS,
  }, async () => {
    const wrong = await stage.driver.prompt(plantPrompt('crane')).result;
    expect(wrong.state, errorOf(wrong)?.message).toBe('complete');
    const right = await (await stage.watcher.chat.resend(wrong.id, plantPrompt('stork'))).result;
    expect(right.state, errorOf(right)?.message).toBe('complete');
    const asked = await stage.driver.prompt(recallPrompt).result;
    expect(asked.state, errorOf(asked)?.message).toBe('complete');
    for (const word of ['pelican', 'heron', 'ibis', 'stork']) expect(textOf(asked)).toContain(word);
    expect(textOf(asked)).not.toContain('crane');
  });

  it(`continues after the host is stopped and started: it ${resumes}`, {
    timeout: 2 * TURN_TIMEOUT_MS,
  }, async () => {
    const before = stage.driver.chat.mirror.confirmed;
    const agents = await stage.host.descendants();
    expect(agents.length).toBeGreaterThan(0);
    expect(await stage.host.stop()).toBe(0);
    await untilGone(agents, 5_000);
    await stage.restart();
    expect(stage.driver.chat.mirror.confirmed.turns).toEqual(before.turns);
    await stage.expectRecall(['pelican', 'heron', 'ibis', 'stork']);
    expect(stage.driver.chat.mirror.confirmed.turns.length).toBe(before.turns.length + 1);
  });

  it('[CONN-8] continues after the host is killed during a turn: the turn has ended and no agent process is left', {
    timeout: 2 * TURN_TIMEOUT_MS,
  }, async () => {
    const prompt = stage.driver.prompt(slowPrompt);
    await until(stage.watcher, (chat) => /word\d/.test(textOf(chat.activeTurn)));
    const agents = await stage.host.descendants();
    await stage.host.kill();
    const seen = textOf(stage.watcher.chat.mirror.confirmed.activeTurn);
    await stage.restart();
    const turn = await prompt.result;
    expect(turn.state).toBe('error');
    expect(errorOf(turn)?.errorType).toBe('hostRestarted');
    expect(textOf(turn).startsWith(seen)).toBe(true);
    await untilGone(agents, 15_000);
    await stage.expectRecall(['pelican', 'heron', 'ibis', 'stork']);
    await stage.settle();
    await agree(stage.watcher.chat.mirror, stage.driver.chat.mirror);
  });
});
