import { createServer, request } from 'node:http';
import { createInterface } from 'node:readline';

/** Separates the name of a namespace from that of a tool. */
const joint = '__';

/**
 * Codex gives the model the tools of each server as one tool of type `namespace`, which the stand-in model does not know. This proxy turns
 * such tools into functions named `<namespace>__<tool>`, and splits the names in calls again. Resolves with the URL that replaces
 * `modelUrl`.
 */
export async function openNamespaceProxy(modelUrl: string): Promise<string> {
  const names = new Map<string, { namespace: string; name: string }>();
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const isResponses = incoming.url?.endsWith('/responses') === true;
      const text = Buffer.concat(chunks).toString('utf8');
      const body = isResponses ? JSON.stringify(flatten(JSON.parse(text), names)) : text;
      const headers = { ...incoming.headers, 'content-length': String(Buffer.byteLength(body)) };
      const { method = 'GET', url = '/' } = incoming;
      const forwarded = request(`${modelUrl}${url}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        // A cancelled turn also ends the response, because the client has disconnected.
        const end = (): void => void outgoing.end();
        if (isResponses)
          createInterface({ input: answer })
            .on('line', (line) => outgoing.write(`${apart(line, names)}\n`))
            .on('error', end)
            .on('close', end);
        else answer.pipe(outgoing);
      });
      forwarded.on('error', () => outgoing.destroy());
      // A cancelled turn closes the connection.
      outgoing.on('close', () => forwarded.destroy());
      forwarded.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port');
  return `http://127.0.0.1:${address.port}`;
}

function flatten(body: unknown, names: Map<string, { namespace: string; name: string }>): unknown {
  if (!isObject(body) || !Array.isArray(body['tools'])) return body;
  const tools = body['tools'].flatMap((tool: unknown) => {
    if (!isObject(tool) || tool['type'] !== 'namespace' || !Array.isArray(tool['tools'])) return [tool];
    const namespace = String(tool['name']);
    return tool['tools'].filter(isObject).map((inner) => {
      const name = String(inner['name']);
      names.set(`${namespace}${joint}${name}`, { namespace, name });
      return { ...inner, name: `${namespace}${joint}${name}` };
    });
  });
  return { ...body, tools };
}

/** A line of the answer's event stream. */
function apart(line: string, names: ReadonlyMap<string, { namespace: string; name: string }>): string {
  let told = line;
  for (const [joined, parts] of names) {
    const { name, namespace } = parts;
    told = told.replaceAll(
      `"name":${JSON.stringify(joined)}`,
      `"name":${JSON.stringify(name)},"namespace":${JSON.stringify(namespace)}`,
    );
  }
  return told;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
