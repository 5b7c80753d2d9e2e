import { tmpdir } from 'node:os';
import { openChat } from '@agenthost/testkit';
import { expect, it } from 'vitest';
import { createDemoProvider } from './provider.ts';
import { FAST_MODEL_ID } from './session.ts';

it('[CHAT-31] "signin" asks for a token of a resource, and goes on without one', async () => {
  const chat = await openChat(createDemoProvider(), { workingDirectory: tmpdir() });
  const { output, done } = chat.prompt('signin', { model: FAST_MODEL_ID });
  await done;
  expect(output.text).toBe('Not signed in, so there is no recipe.');
  const plain = chat.prompt('signin now', { model: FAST_MODEL_ID });
  await plain.done;
  expect(plain.output.text).not.toContain('recipe');
});
