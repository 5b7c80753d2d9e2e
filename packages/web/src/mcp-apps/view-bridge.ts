import type { AhpMcpUiHostCapabilities } from '@agenthost/protocol';

/** Version of MCP Apps that views are answered with. */
const APPS_VERSION = '2026-01-26';
/** Most requests of a view that are open. */
const MAX_OPEN = 8;
/** Most pages of a list of tools. */
const MAX_PAGES = 20;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;
/** Code of MCP for something that a person has refused. */
const REFUSED = -1;

/** Methods that pass to the server as they are, with the capability that each needs. */
const FORWARDED = {
  'tools/list': 'serverTools',
  'resources/list': 'serverResources',
  'resources/templates/list': 'serverResources',
  'resources/read': 'serverResources',
} as const satisfies Record<string, keyof AhpMcpUiHostCapabilities>;

/** A method that a view may send to its server. */
export type ViewMethod = keyof typeof FORWARDED | 'tools/call';

type Json = Readonly<Record<string, unknown>>;

/** What a view reaches: its frame, its server, and the person who looks at it. */
export interface ViewPort {
  readonly capabilities: AhpMcpUiHostCapabilities;
  /** Version of the page, and what the view is told of its surroundings. */
  readonly hostVersion: string;
  readonly context: Json;
  /** Sends a message to the frame. */
  post(message: Json): void;
  /** Sends a request to the server. */
  request(method: ViewMethod, params: Json): Promise<unknown>;
  /** Asks whether the view may run a tool that changes something. */
  ask(tool: string): Promise<boolean>;
  /** The view wants this height, in pixels. */
  resize(height: number): void;
}

/** Answers a view in a frame [MCP-2]: it reaches its server by the methods that are listed here, and nothing else. */
export class ViewBridge {
  readonly #port: ViewPort;
  #openCount = 0;
  #isReady = false;
  /** Notifications for the view, until it is ready. */
  #waiting: Json[] = [];

  constructor(port: ViewPort) {
    this.#port = port;
  }

  /** Takes a message of the frame, which may be anything. */
  receive(message: unknown): void {
    if (!isJson(message) || message['jsonrpc'] !== '2.0' || typeof message['method'] !== 'string') return;
    const { id, method } = message;
    const params = isJson(message['params']) ? message['params'] : {};
    if (typeof id !== 'string' && typeof id !== 'number') return this.#notified(method, params);
    if (this.#openCount >= MAX_OPEN) return this.#refuse(id, INTERNAL_ERROR, 'too many open requests');
    this.#openCount += 1;
    this.#answer(method, params)
      .then(
        (result) => this.#port.post({ jsonrpc: '2.0', id, result }),
        (error: unknown) => {
          const code = isJson(error) && typeof error['code'] === 'number' ? error['code'] : INTERNAL_ERROR;
          this.#refuse(id, code, error instanceof Error ? error.message : String(error));
        },
      )
      .finally(() => {
        this.#openCount -= 1;
      });
  }

  /** Tells the view something, as soon as it is ready. */
  notify(method: string, params: Json): void {
    const message = { jsonrpc: '2.0', method, params };
    if (this.#isReady) this.#port.post(message);
    else this.#waiting.push(message);
  }

  #notified(method: string, { height }: Json): void {
    if (method === 'ui/notifications/initialized' && !this.#isReady) {
      this.#isReady = true;
      for (const message of this.#waiting.splice(0)) this.#port.post(message);
    }
    if (method === 'ui/notifications/size-changed' && typeof height === 'number' && Number.isFinite(height))
      this.#port.resize(height);
  }

  async #answer(method: string, params: Json): Promise<unknown> {
    const { capabilities, context, hostVersion: version } = this.#port;
    if (method === 'ping') return {};
    if (method === 'ui/initialize') {
      const { serverTools, serverResources } = capabilities;
      return {
        protocolVersion: APPS_VERSION,
        hostInfo: { name: 'agenthost', version },
        hostCapabilities: {
          ...(serverTools === undefined ? {} : { serverTools: {} }),
          ...(serverResources === undefined ? {} : { serverResources: {} }),
        },
        hostContext: context,
      };
    }
    if (method === 'tools/call' && capabilities.serverTools !== undefined) return this.#call(params);
    if (isForwarded(method) && capabilities[FORWARDED[method]] !== undefined)
      return this.#port.request(method, params);
    throw new ViewRefusal(METHOD_NOT_FOUND, `the page has no method ${method.slice(0, 100)}`);
  }

  async #call({ name, arguments: input = {} }: Json): Promise<unknown> {
    if (typeof name !== 'string' || !isJson(input))
      throw new ViewRefusal(INVALID_PARAMS, 'expected a name and arguments');
    if (!(await this.#isReading(name)) && !(await this.#port.ask(name)))
      throw new ViewRefusal(REFUSED, 'the person has refused the call');
    return this.#port.request('tools/call', { name, arguments: input });
  }

  /** Whether the server says that a tool only reads. */
  async #isReading(name: string): Promise<boolean> {
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const list: unknown = await this.#port.request('tools/list', cursor === undefined ? {} : { cursor });
      if (!isJson(list)) return false;
      const tools: unknown[] = Array.isArray(list['tools']) ? list['tools'] : [];
      const found = tools.filter(isJson).find((tool) => tool['name'] === name);
      if (found !== undefined)
        return isJson(found['annotations']) && found['annotations']['readOnlyHint'] === true;
      cursor = list['nextCursor'];
      if (typeof cursor !== 'string') return false;
    }
    return false;
  }

  #refuse(id: string | number, code: number, message: string): void {
    this.#port.post({ jsonrpc: '2.0', id, error: { code, message } });
  }
}

/** A refusal with its code for the view. */
class ViewRefusal extends Error {
  override readonly name = 'ViewRefusal';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const isForwarded = (method: string): method is keyof typeof FORWARDED => Object.hasOwn(FORWARDED, method);

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
