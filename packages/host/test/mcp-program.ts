// A small MCP server on standard input and output, whose tools misbehave as tests need it. Run as a program.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { VIEW_DOMAINS, viewPage } from './mcp-view.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly _meta?: { readonly progressToken?: number };
    readonly requestId?: number;
    readonly uri?: string;
    readonly capabilities?: { readonly sampling?: object };
  };
  readonly result?: unknown;
  readonly error?: unknown;
}

const object = { type: 'object', properties: {} };
const TOOLS = [
  {
    name: 'echo',
    title: 'Echo',
    description: 'Repeats',
    inputSchema: object,
    annotations: { readOnlyHint: true },
  },
  { name: 'remove', inputSchema: object },
  { name: 'add', inputSchema: object, annotations: { destructiveHint: false } },
  ...['slow', 'crash', 'big', 'fail', 'ask', 'roots', 'env', 'more'].map((name) => ({
    name,
    inputSchema: object,
    annotations: { readOnlyHint: true },
  })),
];

/** Origin that the view of the tool `panel` tries to reach. Absent: there is no such tool. */
const leak = process.argv.find((each) => each.startsWith('--view='))?.slice('--view='.length);
const VIEW = 'ui://test/panel';
const PANEL = { ...TOOLS[0], name: 'panel', title: 'Panel', _meta: { ui: { resourceUri: VIEW } } };

const tools: { name: string }[] = [...TOOLS, ...(leak === undefined ? [] : [PANEL])];
const answers = new Map<number, (result: unknown) => void>();
let lastId = 1_000;

const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

function request(method: string, params: object): Promise<unknown> {
  lastId += 1;
  const id = lastId;
  return new Promise((resolve) => {
    answers.set(id, resolve);
    send({ id, method, params });
  });
}

async function call(id: number, params: NonNullable<Message['params']>): Promise<unknown> {
  const { arguments: input = {}, _meta } = params;
  switch (params.name) {
    case 'echo':
      return text(`echo ${JSON.stringify(input)}`);
    case 'panel':
      return text('Panel opened');
    case 'remove':
    case 'add':
      return text(`${params.name} ${JSON.stringify(input)}`);
    case 'slow':
      send({
        method: 'notifications/progress',
        params: { progressToken: _meta?.progressToken, progress: 1, total: 3, message: 'began' },
      });
      // Ends only by a cancellation.
      return new Promise(() => undefined);
    case 'crash':
      process.stderr.write('out of luck\n');
      return process.exit(3);
    case 'big':
      return text('x'.repeat(Number(input['bytes'])));
    case 'fail':
      return { ...text('no such thing'), isError: true };
    case 'ask': {
      const properties = { name: { type: 'string', title: 'Name' }, age: { type: 'integer' } };
      const requestedSchema = { type: 'object', properties, required: ['name'] };
      return text(
        JSON.stringify(
          await request('elicitation/create', { mode: 'form', message: 'Who?', requestedSchema }),
        ),
      );
    }
    case 'sample': {
      const given = input['requests'];
      const sampled = [];
      for (const each of Array.isArray(given) ? given : [])
        sampled.push(await request('sampling/createMessage', { maxTokens: 50, ...each }));
      return text(JSON.stringify(sampled));
    }
    case 'roots':
      return text(JSON.stringify(await request('roots/list', {})));
    case 'env':
      return text(JSON.stringify([process.env['GIVEN'], process.env['AGENTHOST_TOKEN'], process.cwd()]));
    case 'more':
      tools.push({ ...TOOLS[0], name: 'extra' });
      send({ method: 'notifications/tools/list_changed' });
      return text('more');
    default:
      throw new Error(`no tool ${id}`);
  }
}

async function read({ id, method, params = {}, result, error }: Message): Promise<void> {
  if (method === 'notifications/cancelled') process.stderr.write(`cancelled ${params.requestId}\n`);
  if (id === undefined) return;
  if (method === undefined) return answers.get(id)?.(result ?? error);
  if (method === 'initialize') {
    if (process.argv.includes('--silent')) return;
    if (params.capabilities?.sampling !== undefined) tools.push({ ...TOOLS[0], name: 'sample' });
    const resources = leak === undefined ? {} : { resources: {} };
    const capabilities = { tools: { listChanged: true }, logging: {}, ...resources };
    return send({
      id,
      result: { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'test', version: '1' } },
    });
  }
  if (method === 'tools/list') return send({ id, result: { tools } });
  if (method === 'resources/list') return send({ id, result: { resources: [{ uri: VIEW, name: 'Panel' }] } });
  if (method === 'resources/read' && leak !== undefined) {
    const csp = {
      connectDomains: [VIEW_DOMAINS.connect, leak, "'self'"],
      resourceDomains: [VIEW_DOMAINS.resource, leak, '*'],
    };
    const page = {
      ...{ uri: VIEW, mimeType: 'text/html;profile=mcp-app', text: viewPage(leak) },
      _meta: { ui: { csp } },
    };
    return send({ id, result: { contents: [page] } });
  }
  if (method === 'tools/call') return send({ id, result: await call(id, params) });
  send({ id, result: {} });
}

if (process.argv.includes('--fail')) {
  process.stderr.write('cannot start today\n');
  process.exit(1);
}
if (process.argv.includes('--stubborn')) {
  setInterval(() => undefined, 60_000);
  process.on('SIGTERM', () => undefined);
  writeFileSync(process.argv.at(-1) ?? '', `${process.pid}`);
}
createInterface({ input: process.stdin }).on('line', (line) => void read(JSON.parse(line) as Message));
