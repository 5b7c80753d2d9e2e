import type { AhpMcpUiHostCapabilities, ViewDomains } from '@agenthost/protocol';
import { contextOf, linkOf, textOf } from './view-content.ts';

/** Version of MCP Apps that views are answered with. */
const APPS_VERSION = '2026-01-26';
/** Most requests of a view that are open. */
const MAX_OPEN = 8;
/** Most pages of a list of tools. */
const MAX_PAGES = 20;
/** Refused questions in a row after which a person is not asked any more. */
const MAX_REFUSED = 3;
/** How long a view may take to end, in ms. */
const TEARDOWN_MS = 1_000;
/** Id of the only request that the page sends. */
const TEARDOWN_ID = 'teardown';
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

/** What a view wants to do and a person decides. */
export type ViewWish =
  | { readonly kind: 'tool'; readonly tool: string }
  | { readonly kind: 'link'; readonly url: string }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'context'; readonly text: string };

type Json = Readonly<Record<string, unknown>>;

/** What a view reaches: its frame, its server, and the person who looks at it. */
export interface ViewPort {
  readonly capabilities: AhpMcpUiHostCapabilities;
  /** Version of the page, and what the view is told of its surroundings at its start. */
  readonly hostVersion: string;
  readonly context: Json;
  /** The domains that its frame may reach. */
  domains(): ViewDomains;
  /** Whether there is a message field, which takes messages and context. */
  hasField(): boolean;
  /** Sends a message to the frame. */
  post(message: Json): void;
  /** Sends a request to the server. */
  request(method: ViewMethod, params: Json): Promise<unknown>;
  /** Asks the person. Never rejects; there is one question at a time. */
  ask(wish: ViewWish): Promise<boolean>;
  /** Opens a page in a new tab. */
  open(url: string): void;
  /** Puts a text into the message field. */
  write(text: string): void;
  /** Attaches what the model is to know to the next message, in place of what the view has attached before. '': nothing. */
  attach(text: string): void;
  /** The view wants this height, in pixels. */
  resize(height: number): void;
  /** The view wants to end. */
  leave(): void;
}

/** Answers a view in a frame [MCP-2]: it reaches its server by the methods that are listed here, and nothing else. */
export class ViewBridge {
  readonly #port: ViewPort;
  #context: Json;
  #openCount = 0;
  #refusedCount = 0;
  #lastQuestion: Promise<unknown> = Promise.resolve();
  #state: 'loading' | 'initialized' | 'ready' | 'ending' = 'loading';
  /** Notifications for the view, until it is ready. */
  #waiting: Json[] = [];
  #onEnded: (() => void) | undefined;

  constructor(port: ViewPort) {
    this.#port = port;
    this.#context = port.context;
  }

  /** Takes a message of the frame, which may be anything. */
  receive(message: unknown): void {
    if (!isJson(message) || message['jsonrpc'] !== '2.0') return;
    const { id, method } = message;
    if (typeof method !== 'string') {
      if (id === TEARDOWN_ID) this.#onEnded?.();
      return;
    }
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
    if (this.#state === 'ready') this.#port.post(message);
    else if (this.#state !== 'ending') this.#waiting.push(message);
  }

  /** Tells the view what has changed in its surroundings. A view that has not begun gets it with the answer to `ui/initialize`. */
  changeContext(changes: Json): void {
    this.#context = { ...this.#context, ...changes };
    if (this.#state !== 'loading') this.notify('ui/notifications/host-context-changed', changes);
  }

  /** Lets the view end. Resolves when it has answered, after a second at the latest. From now on nobody is asked. */
  async teardown(): Promise<void> {
    const wasReady = this.#state === 'ready';
    this.#state = 'ending';
    if (!wasReady) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, TEARDOWN_MS);
      this.#onEnded = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#port.post({ jsonrpc: '2.0', id: TEARDOWN_ID, method: 'ui/resource-teardown', params: {} });
    });
  }

  #notified(method: string, { height }: Json): void {
    if (method === 'ui/notifications/initialized' && this.#state === 'initialized') {
      this.#state = 'ready';
      for (const message of this.#waiting.splice(0)) this.#port.post(message);
    }
    if (method === 'ui/notifications/size-changed' && typeof height === 'number' && Number.isFinite(height))
      this.#port.resize(height);
    if (method === 'ui/notifications/request-teardown' && this.#state === 'ready') this.#port.leave();
  }

  async #answer(method: string, params: Json): Promise<unknown> {
    const { capabilities } = this.#port;
    if (method === 'ping') return {};
    if (method === 'ui/initialize') return this.#begin();
    if (method === 'ui/open-link') return this.#openLink(params);
    if (method === 'ui/request-display-mode') return { mode: 'inline' };
    if (method === 'ui/message' && this.#port.hasField()) return this.#write(params);
    if (method === 'ui/update-model-context' && this.#port.hasField()) return this.#attach(params);
    if (method === 'tools/call' && capabilities.serverTools !== undefined) return this.#call(params);
    if (isForwarded(method) && capabilities[FORWARDED[method]] !== undefined)
      return this.#port.request(method, params);
    throw new ViewRefusal(METHOD_NOT_FOUND, `the page has no method ${method.slice(0, 100)}`);
  }

  #begin(): Json {
    const { capabilities, hostVersion: version } = this.#port;
    const { connect, resource } = this.#port.domains();
    const { serverTools, serverResources } = capabilities;
    if (this.#state === 'loading') this.#state = 'initialized';
    return {
      protocolVersion: APPS_VERSION,
      hostInfo: { name: 'agenthost', version },
      hostCapabilities: {
        ...(serverTools === undefined ? {} : { serverTools: {} }),
        ...(serverResources === undefined ? {} : { serverResources: {} }),
        openLinks: {},
        ...(this.#port.hasField()
          ? { message: { text: {} }, updateModelContext: { text: {}, structuredContent: {} } }
          : {}),
        sandbox: { csp: { connectDomains: connect, resourceDomains: resource } },
      },
      hostContext: this.#context,
    };
  }

  async #openLink({ url }: Json): Promise<Json> {
    const link = linkOf(url);
    if (link === undefined)
      throw new ViewRefusal(INVALID_PARAMS, 'expected an http or https URL without an account');
    if (!(await this.#ask({ kind: 'link', url: link }))) return { isError: true };
    this.#port.open(link);
    return {};
  }

  async #write({ role, content }: Json): Promise<Json> {
    const text = role === 'user' ? textOf(content) : undefined;
    if (text === undefined || text === '')
      throw new ViewRefusal(
        INVALID_PARAMS,
        'expected the role user and content of at most 32768 characters of text',
      );
    if (!(await this.#ask({ kind: 'message', text }))) return { isError: true };
    this.#port.write(text);
    return {};
  }

  async #attach({ content, structuredContent }: Json): Promise<Json> {
    const text = contextOf(content, structuredContent);
    if (text === undefined)
      throw new ViewRefusal(
        INVALID_PARAMS,
        'expected content or an object of at most 32768 characters of text',
      );
    if (text !== '' && !(await this.#ask({ kind: 'context', text })))
      throw new ViewRefusal(REFUSED, 'the person has refused the context');
    this.#port.attach(text);
    return {};
  }

  async #call({ name, arguments: input = {} }: Json): Promise<unknown> {
    if (typeof name !== 'string' || !isJson(input))
      throw new ViewRefusal(INVALID_PARAMS, 'expected a name and arguments');
    if (!(await this.#isReading(name)) && !(await this.#ask({ kind: 'tool', tool: name })))
      throw new ViewRefusal(REFUSED, 'the person has refused the call');
    return this.#port.request('tools/call', { name, arguments: input });
  }

  /** Asks one question after the other. */
  #ask(wish: ViewWish): Promise<boolean> {
    const asked = this.#lastQuestion.then(async () => {
      if (this.#state === 'ending' || this.#refusedCount >= MAX_REFUSED) return false;
      const isAllowed = await this.#port.ask(wish);
      this.#refusedCount = isAllowed ? 0 : this.#refusedCount + 1;
      return isAllowed;
    });
    this.#lastQuestion = asked;
    return asked;
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
