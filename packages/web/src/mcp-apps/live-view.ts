import type { AhpClient, ChatHandle } from '@agenthost/client';
import {
  type AhpMcpUiHostCapabilities,
  type ToolCallState,
  textOf,
  type URI,
  type ViewDomains,
} from '@agenthost/protocol';
import { PAGE_VERSION } from '../app/page-version.ts';
import { hostUrl } from '../app/paths.ts';
import { inputObjectOf } from '../chat/cards/call-text.ts';
import { Emitter } from '../live/emitter.ts';
import { messageOf } from '../live/host-link.ts';
import { mcpText } from '../text/mcp-text.ts';
import { language } from '../text/text.ts';
import { callResult } from './call-result.ts';
import { attachContext, hasField, writeText } from './draft-of-view.ts';
import { ViewBridge, type ViewWish } from './view-bridge.ts';
import { readView } from './view-page.ts';
import type { ViewAnswer } from './view-question.tsx';
import { lookOfPage, onLookChange, onWidthChange } from './view-surroundings.ts';

/** Heights of a frame, in pixels. */
const FIRST_HEIGHT = 160;
const MIN_HEIGHT = 48;
const MAX_HEIGHT = 640;

/** Inputs of a view. */
export interface LiveViewParts {
  readonly client: AhpClient;
  /** The `mcp://` channel of the server. */
  readonly channel: URI;
  readonly capabilities: AhpMcpUiHostCapabilities;
  /** Name of the server, for people. */
  readonly server: string;
  /** `ui://` URI of the view. */
  readonly uri: string;
  readonly toolCallId: string;
  /** The chat whose message field the view may write into. */
  readonly chat: ChatHandle;
}

/** What is shown of a view. */
export interface ShownView {
  readonly phase: 'loading' | 'shown' | 'failed' | 'ended';
  /** Why it has failed. */
  readonly failure?: string;
  /** A question of the view. */
  readonly wish?: ViewWish;
  /** The domains that it can reach. */
  readonly domains: readonly string[];
}

/**
 * A view of an MCP server in a frame. The frame has an origin of its own and no network but the domains of its server; it talks to the page by
 * messages, and through the page to its server. The frame lives outside of React, because it goes on for a moment when its place goes.
 */
export class LiveView {
  readonly #parts: LiveViewParts;
  readonly #place: HTMLElement;
  readonly #bridge: ViewBridge;
  readonly #end = new AbortController();
  readonly #changed = new Emitter();
  readonly #stops: (() => void)[] = [];
  /** What the person allows from now on. */
  readonly #allowed = new Set<string>();
  #frame: HTMLIFrameElement | undefined;
  #shown: ShownView = { phase: 'loading', domains: [] };
  #answer: ((answer: ViewAnswer) => void) | undefined;
  #domains: ViewDomains = { connect: [], resource: [] };
  #isDisposed = false;
  #hasInput = false;
  #hasResult = false;

  /** Loads the view into `place`. */
  constructor(parts: LiveViewParts, place: HTMLElement) {
    this.#parts = parts;
    this.#place = place;
    const { client, channel, capabilities, chat, server, toolCallId } = parts;
    const { signal } = this.#end;
    this.#bridge = new ViewBridge({
      capabilities,
      domains: () => this.#domains,
      hostVersion: PAGE_VERSION,
      context: {
        ...lookOfPage(),
        displayMode: 'inline',
        availableDisplayModes: ['inline'],
        containerDimensions: this.#dimensions(Math.round(place.getBoundingClientRect().width)),
        locale: language,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        platform: 'web',
      },
      hasField: () => hasField(chat),
      // The frame has an opaque origin, which cannot be named.
      post: (message) => this.#frame?.contentWindow?.postMessage(message, '*'),
      request: (method, params) => client.request(method, { ...params, channel }, { signal }),
      ask: (wish) => this.#ask(wish),
      open: (url) => void window.open(url, '_blank', 'noopener,noreferrer'),
      write: (text) => writeText(chat, text, client.host?.terminalCommandPrefix),
      attach: (text) => attachContext(chat, { view: toolCallId, label: mcpText.viewContext(server), text }),
      resize: (height) => this.#resize(height),
      leave: () => void this.#leave('ended'),
    });
    this.#stops.push(
      onLookChange(() => this.#bridge.changeContext(lookOfPage())),
      onWidthChange(place, (width) =>
        this.#bridge.changeContext({ containerDimensions: this.#dimensions(width) }),
      ),
    );
    void this.#load();
  }

  /** What is shown of it. The same object until something changes. */
  get shown(): ShownView {
    return this.#shown;
  }

  /** Calls `listener` after `shown` changed. Returns a function that removes it. */
  onChange = (listener: () => void): (() => void) => this.#changed.add(listener);

  /** Tells the view of its call. */
  setCall(toolCall: ToolCallState): void {
    if (!this.#hasInput) {
      this.#hasInput = true;
      this.#bridge.notify('ui/notifications/tool-input', { arguments: inputObjectOf(toolCall) ?? {} });
    }
    if (this.#hasResult) return;
    const result = callResult(toolCall);
    this.#hasResult = result !== undefined || toolCall.status === 'cancelled';
    if (result !== undefined) this.#bridge.notify('ui/notifications/tool-result', result);
    if (toolCall.status !== 'cancelled') return;
    const reason = textOf(toolCall.reasonMessage ?? toolCall.reason);
    this.#bridge.notify('ui/notifications/tool-cancelled', { reason });
  }

  /** Answers the present question. */
  answer(answer: ViewAnswer): void {
    this.#answer?.(answer);
  }

  /** Lets the view end, in a hidden place if its own goes. Calling it again does nothing. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    const frame = this.#frame;
    // A frame that is moved in any other way is loaded anew. Browsers without it end the view at once.
    if (frame?.isConnected === true && 'moveBefore' in document.body) {
      Object.assign(frame.style, { position: 'fixed', visibility: 'hidden', pointerEvents: 'none' });
      frame.inert = true;
      document.body.moveBefore(frame, null);
    }
    void this.#leave(this.#shown.phase);
  }

  async #leave(phase: ShownView['phase']): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    this.answer('deny');
    await this.#bridge.teardown();
    this.#end.abort();
    window.removeEventListener('message', this.#receive);
    this.#frame?.remove();
    this.#frame = undefined;
    this.#set({ phase });
  }

  async #load(): Promise<void> {
    const { client, channel, uri, server } = this.#parts;
    const { signal } = this.#end;
    try {
      const ask = (method: 'resources/read' | 'resources/list', params: object): Promise<unknown> =>
        client.request(method, { ...params, channel }, { signal });
      const { html, domains } = await readView(ask, uri, mcpText.noView);
      if (signal.aborted || this.#isDisposed) return;
      this.#domains = domains;
      const url = hostUrl('mcp-view.html');
      for (const each of domains.connect) url.searchParams.append('connect', each);
      for (const each of domains.resource) url.searchParams.append('resource', each);
      const frame = document.createElement('iframe');
      frame.sandbox.add('allow-scripts');
      frame.referrerPolicy = 'no-referrer';
      frame.title = mcpText.view(server);
      frame.className = 'block w-full';
      frame.style.height = '0';
      frame.src = url.href;
      this.#frame = frame;
      this.#html = html;
      window.addEventListener('message', this.#receive);
      this.#place.append(frame);
    } catch (error) {
      if (!signal.aborted) this.#set({ phase: 'failed', failure: mcpText.viewFailed(messageOf(error)) });
    }
  }

  /** The view, until its frame has it. */
  #html: string | undefined;

  #receive = ({ source, data }: MessageEvent<unknown>): void => {
    if (source === null || source !== this.#frame?.contentWindow) return;
    if (this.#html === undefined) return this.#bridge.receive(data);
    if (typeof data !== 'object' || data === null || !('isReady' in data)) return;
    this.#frame.contentWindow?.postMessage({ html: this.#html }, '*');
    this.#html = undefined;
    this.#frame.style.height = `${FIRST_HEIGHT}px`;
    const { connect, resource } = this.#domains;
    const names = [...connect, ...resource].map((each) => each.replace(/^\w+:\/\//, ''));
    this.#set({ phase: 'shown', domains: [...new Set(names)] });
  };

  #ask(wish: ViewWish): Promise<boolean> {
    const lasting = wish.kind === 'tool' ? `tool ${wish.tool}` : wish.kind;
    if (this.#allowed.has(lasting)) return Promise.resolve(true);
    return new Promise((resolve) => {
      this.#answer = (answer) => {
        this.#answer = undefined;
        if (answer === 'view') this.#allowed.add(lasting);
        this.#set({ wish: undefined });
        resolve(answer !== 'deny');
      };
      this.#set({ wish });
    });
  }

  #resize(wanted: number): void {
    if (this.#frame === undefined || this.#html !== undefined) return;
    this.#frame.style.height = `${Math.min(Math.max(Math.ceil(wanted), MIN_HEIGHT), MAX_HEIGHT)}px`;
  }

  #dimensions = (width: number): object => ({ width, maxHeight: MAX_HEIGHT });

  #set({
    wish,
    ...changes
  }: Partial<Omit<ShownView, 'wish'>> & { readonly wish?: ViewWish | undefined }): void {
    const { wish: _, ...rest } = this.#shown;
    this.#shown = { ...rest, ...changes, ...(wish === undefined ? {} : { wish }) };
    this.#changed.emit();
  }
}
