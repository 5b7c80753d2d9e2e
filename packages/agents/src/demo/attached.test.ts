import { tmpdir } from 'node:os';
import { openChat, userMessage } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { createDemoProvider } from './provider.ts';

const open = () => openChat(createDemoProvider(), { workingDirectory: tmpdir() });
const image = { type: 'embeddedResource' as const, label: 'p.png', data: 'AAAA', contentType: 'image/png' };
const start = { line: 0, character: 0 };
const line = { range: { start, end: { line: 1, character: 0 } } };
const file = { type: 'resource' as const, label: 'a.ts', uri: 'file:///w/a.ts', selection: line };
const page = { type: 'resource' as const, label: 'page', uri: 'file:///w' };

describe('an attachment for the demo agent', () => {
  it('is repeated in the form that the agent got, before the steps', async () => {
    const { prompt } = await open();
    const { output, done } = prompt('say done', {
      model: 'demo-fast',
      attachments: [image, file],
      readResource: async () => ({ data: Buffer.from('let a = `b`;\nlet c;\n') }),
    });
    await done;
    expect(output.text).toBe(
      [
        'You gave me:',
        '',
        '- p.png (image/png, 3 bytes)',
        '- ',
        '',
        '  ```',
        '  <selection name="a.ts" uri="file:///w/a.ts" range="line 1">',
        '  let a = `b`;',
        '  ',
        '  </selection>',
        '  ```',
        '',
        '',
        'done',
      ].join('\n'),
    );
  });

  it('is reported to the user if it cannot be read', async () => {
    const { prompt } = await open();
    const { output, done } = prompt('', { model: 'demo-fast', attachments: [page] });
    await done;
    expect(output.text).toContain('[page (file:///w) is attached, but the file does not exist]');
    expect(output.events).toContainEqual({
      kind: 'notify',
      content: 'page did not reach the agent: the file does not exist.',
    });
  });

  it('is passed on with a steering message too', async () => {
    const { session, prompt } = await open();
    const { output, done } = prompt('hang', { model: 'demo-fast' });
    expect(await session.steer?.({ ...userMessage('say done'), attachments: [image] })).toBe(true);
    await done;
    expect(output.text).toBe('You gave me:\n\n- p.png (image/png, 3 bytes)\n\ndone');
  });
});
