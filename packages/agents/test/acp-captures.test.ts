import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openChat, type RecordedCall, type RecordingTurn } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { acpCatalogue } from '../src/acp/catalogue.ts';
import type { AcpProvider } from '../src/acp/provider.ts';
import { capturesAreThere, capturesFolder, nodeAgent, temporaryFolder } from './acp-chats.ts';

function replay(agent: string, capture = agent): AcpProvider {
  const known = acpCatalogue.find(({ id }) => id === agent);
  const { offersReadTextFile } = known ?? {};
  return nodeAgent('./acp-replay-agent.ts', [join(capturesFolder, `${capture}.ndjson`)], {
    id: agent,
    displayName: agent,
    ...(offersReadTextFile === undefined ? {} : { offersReadTextFile }),
  });
}

/** Approves or denies the next question by the label that the agent gave it. */
async function choose(output: RecordingTurn, label: string): Promise<RecordedCall> {
  const call = await output.callIn('pending-confirmation');
  const option = call.shown?.options?.find((known) => known.label === label);
  if (option === undefined) throw new Error(`no ${label} in ${JSON.stringify(call.shown?.options)}`);
  call.answer(
    option.kind === 'approve'
      ? { approved: true, selectedOption: option }
      : { approved: false, reason: 'denied', selectedOption: option },
  );
  return call;
}

const hello = 'Hello from the mock model. Done.';
const after = 'Tool finished, all good.';

describe.skipIf(!capturesAreThere)('recorded turns of real agents', () => {
  it('claude: a write that is announced, filled in, asked for and done', async () => {
    const workingDirectory = temporaryFolder();
    const provider = replay('claude');
    const chat = await openChat(provider, { workingDirectory });

    const first = chat.prompt('hello there');
    await first.done;
    expect(first.output.text).toBe(hello);
    expect(first.output.lastUsage).toMatchObject({ inputTokens: 11, outputTokens: 7, cacheReadTokens: 0 });
    expect(first.output.lastUsage?._meta).toMatchObject({ contextTokens: 18, contextWindow: 200_000 });
    expect(chat.host.commandList.map(({ name }) => name)).toContain('deep-research');

    const second = chat.prompt('please WRITEFILE now');
    const call = await choose(second.output, 'Allow');
    await second.done;
    expect(call.start).toMatchObject({ toolName: 'Write', displayName: 'Edit' });
    expect(call.questions[0]).toMatchObject({
      invocationMessage: 'Write hello.txt',
      edits: [{ after: { uri: `file://${workingDirectory}/hello.txt` } }],
      options: [
        { label: 'Always Allow all Write', kind: 'approve' },
        { label: 'Allow', kind: 'approve' },
        { label: 'Reject', kind: 'deny' },
      ],
    });
    expect(call.status).toBe('completed');
    expect(call.result).toMatchObject({ success: true, pastTenseMessage: 'Write hello.txt' });
    expect(second.output.text).toBe(after);

    const third = chat.prompt('SLOW please');
    await third.output.until(() => chat.session !== undefined);
    third.controller.abort();
    await third.done;

    const again = await openChat(provider, { workingDirectory, memory: chat.host.memory });
    expect(again.host.memory).toEqual(chat.host.memory);
    for (const { output } of [first, second, third]) expect(output.violations).toEqual([]);
  });
});
