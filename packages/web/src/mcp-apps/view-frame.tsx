import type { AhpClient } from '@agenthost/client';
import type { AhpMcpUiHostCapabilities, ToolCallState, URI } from '@agenthost/protocol';
import { useEffect, useRef, useState } from 'react';
import { PAGE_VERSION } from '../app/page-version.ts';
import { hostUrl } from '../app/paths.ts';
import { inputObjectOf } from '../chat/cards/call-text.ts';
import { mcpText } from '../text/mcp-text.ts';
import { language } from '../text/text.ts';
import { isDark } from '../theme/theme.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { callResult } from './call-result.ts';
import { ViewBridge } from './view-bridge.ts';
import { viewHtml } from './view-html.ts';
import { ViewQuestion } from './view-question.tsx';

/** Heights of a frame, in pixels. */
const FIRST_HEIGHT = 160;
const MIN_HEIGHT = 48;
const MAX_HEIGHT = 640;

interface ViewFrameProps {
  readonly client: AhpClient;
  /** The `mcp://` channel of the server. */
  readonly channel: URI;
  readonly capabilities: AhpMcpUiHostCapabilities;
  /** Name of the server, for people. */
  readonly server: string;
  /** `ui://` URI of the view. */
  readonly uri: string;
  readonly toolCall: ToolCallState;
}

/** A tool that the view wants to run. */
interface Question {
  readonly tool: string;
  answer(isAllowed: boolean): void;
}

/**
 * A view of an MCP server in a frame. The frame has an origin of its own and no network; it talks to the page by messages, and through the page
 * to its server.
 */
export function ViewFrame({ client, channel, capabilities, server, uri, toolCall }: ViewFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const shown = useRef<{ readonly bridge: ViewBridge; hasInput: boolean; hasResult: boolean }>(undefined);
  const allowed = useRef(new Set<string>());
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [questions, setQuestions] = useState<readonly Question[]>([]);
  const [state, setState] = useState<{ readonly failure?: string; readonly isLoaded: boolean }>({
    isLoaded: false,
  });

  useEffect(() => {
    const end = new AbortController();
    const ready = Promise.withResolvers<void>();
    // The frame has an opaque origin, which cannot be named.
    const post = (message: unknown): void => frame.current?.contentWindow?.postMessage(message, '*');
    const ask = (tool: string): Promise<boolean> => {
      if (allowed.current.has(tool)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const question: Question = {
          tool,
          answer: (isAllowed) => {
            setQuestions((all) => all.filter((each) => each !== question));
            resolve(isAllowed);
          },
        };
        setQuestions((all) => [...all, question]);
      });
    };
    const bridge = new ViewBridge({
      capabilities,
      hostVersion: PAGE_VERSION,
      context: {
        theme: isDark() ? 'dark' : 'light',
        displayMode: 'inline',
        availableDisplayModes: ['inline'],
        containerDimensions: { maxHeight: MAX_HEIGHT },
        locale: language,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        platform: 'web',
      },
      post,
      ask,
      request: (method, params) => client.request(method, { ...params, channel }, { signal: end.signal }),
      resize: (wanted) => setHeight(Math.min(Math.max(Math.ceil(wanted), MIN_HEIGHT), MAX_HEIGHT)),
    });
    shown.current = { bridge, hasInput: false, hasResult: false };
    const receive = ({ source, data }: MessageEvent<unknown>): void => {
      if (source === null || source !== frame.current?.contentWindow) return;
      if (typeof data === 'object' && data !== null && 'isReady' in data) ready.resolve();
      else bridge.receive(data);
    };
    window.addEventListener('message', receive);
    const load = async (): Promise<void> => {
      try {
        const result = await client.request('resources/read', { channel, uri }, { signal: end.signal });
        const html = viewHtml(result, mcpText.noView);
        await ready.promise;
        if (end.signal.aborted) return;
        post({ html });
        setState({ isLoaded: true });
      } catch (error) {
        if (end.signal.aborted) return;
        const reason = error instanceof Error ? error.message : String(error);
        setState({ failure: mcpText.viewFailed(reason), isLoaded: false });
      }
    };
    void load();
    return () => {
      end.abort();
      window.removeEventListener('message', receive);
      setQuestions([]);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the view keeps what it was told at its start
  }, [client, channel, uri]);

  useEffect(() => {
    const present = shown.current;
    if (present === undefined) return;
    if (!present.hasInput) {
      present.hasInput = true;
      present.bridge.notify('ui/notifications/tool-input', { arguments: inputObjectOf(toolCall) ?? {} });
    }
    const result = callResult(toolCall);
    if (result === undefined || present.hasResult) return;
    present.hasResult = true;
    present.bridge.notify('ui/notifications/tool-result', result);
  }, [toolCall, client, channel, uri]);

  if (state.failure !== undefined)
    return (
      <p className="px-3 py-2 text-sm text-danger">
        <SafeText>{state.failure}</SafeText>
      </p>
    );
  const [question] = questions;
  return (
    <>
      {question !== undefined && (
        <ViewQuestion
          tool={question.tool}
          onAnswer={(answer) => {
            if (answer === 'view') allowed.current.add(question.tool);
            question.answer(answer !== 'deny');
          }}
        />
      )}
      {!state.isLoaded && <p className="px-3 py-2 text-sm text-muted">{mcpText.viewLoading}</p>}
      <iframe
        ref={frame}
        src={hostUrl('mcp-view.html').href}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        title={mcpText.view(server)}
        className="block w-full"
        style={{ height: state.isLoaded ? height : 0 }}
      />
    </>
  );
}
