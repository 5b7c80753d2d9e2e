// A host with a model agent, which also calls the same model by the library alone.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createModelProvider } from '@agenthost/agents';
import type { Host } from '@agenthost/host';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStepCount, jsonSchema, streamText, tool } from 'ai';
import { benchHost, startAt } from './host.ts';
import { serve } from './process.ts';

type Request =
  | { readonly kind: 'start'; readonly folder: string; readonly modelUrl: string }
  /** Answers with the processor time of this process so far, in µs. */
  | { readonly kind: 'time' }
  /** Calls the library with a prompt. Answers with the processor time that this took, in µs. */
  | { readonly kind: 'direct'; readonly prompt: string; readonly count: number };

let host: Host | undefined;
let at = { folder: '', modelUrl: '' };

async function answer(request: Request): Promise<unknown> {
  switch (request.kind) {
    case 'start': {
      const { folder, modelUrl } = request;
      at = { folder, modelUrl };
      await writeFile(join(folder, 'a.txt'), 'one line\n');
      host = benchHost(join(folder, 'data'), {
        agents: [
          ({ timers }) =>
            createModelProvider(
              {
                id: 'model',
                displayName: 'Model',
                api: 'openai',
                baseUrl: modelUrl,
                models: [{ id: 'stand-in' }],
              },
              { timers, environment: {} },
            ),
        ],
        roots: [folder],
        defaultDirectory: folder,
      });
      return { url: await startAt(host) };
    }
    case 'time':
      return { time: processorTime() };
    case 'direct':
      return { time: await direct(request.prompt, request.count) };
    default:
      return request satisfies never;
  }
}

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function direct(prompt: string, count: number): Promise<number> {
  const before = processorTime();
  const model = createOpenAICompatible({ name: 'openai', baseURL: at.modelUrl, includeUsage: true })(
    'stand-in',
  );
  const inputSchema = jsonSchema<{ path: string }>({
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
  });
  const result = streamText({
    model,
    prompt,
    maxRetries: 0,
    stopWhen: isStepCount(count + 1),
    tools: {
      read_file: tool({
        description: 'Reads a file',
        inputSchema,
        execute: ({ path }) => readFile(join(at.folder, path), 'utf8'),
      }),
    },
  });
  let length = 0;
  for await (const part of result.stream) if (part.type === 'text-delta') length += part.text.length;
  if (length === 0) throw new Error('the model said nothing');
  return processorTime() - before;
}

serve(answer, () => host?.stop());
