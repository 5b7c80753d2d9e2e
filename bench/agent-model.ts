// A model behind the API of OpenAI's chat completions. It follows two words of the last message of a person: `tokens 100` streams 100 tokens, each
// in a write of its own, `calls 10` calls `read_file` 10 times, once in each answer.
import { createServer, type ServerResponse } from 'node:http';
import { serve } from './process.ts';

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    // The benchmark alone talks to this server.
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    void answer(messages, response);
  });
});

async function answer(messages: Asked['messages'], response: ServerResponse): Promise<void> {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const [, kind, count] = /(tokens|calls) (\d+)/.exec(JSON.stringify(messages[at]?.content)) ?? [];
  const done = messages.slice(at).filter(({ role }) => role === 'tool').length;
  if (kind === 'calls' && done < Number(count)) {
    const call = {
      index: 0,
      id: `call-${done}`,
      type: 'function',
      function: { name: 'read_file', arguments: '{"path":"a.txt"}' },
    };
    write(response, { tool_calls: [call] }, null);
    write(response, {}, 'tool_calls');
  } else {
    for (let index = 0; index < (kind === 'tokens' ? Number(count) : 1); index += 1) {
      write(response, { content: ' word' }, null);
      await new Promise((resolve) => setImmediate(resolve));
    }
    write(response, {}, 'stop');
  }
  response.end('data: [DONE]\n\n');
}

function write(response: ServerResponse, delta: object, finish: string | null): void {
  const chunk = {
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'stand-in',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(finish === null ? {} : { usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } }),
  };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

serve(
  async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    return {
      url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`,
    };
  },
  () => {
    server.closeAllConnections();
    server.close();
  },
);
