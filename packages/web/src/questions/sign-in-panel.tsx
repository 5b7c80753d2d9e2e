import { RpcError } from '@agenthost/client';
import {
  ErrorCodes,
  type McpAuthRequirement,
  ROOT_URI,
  type ToolCallAuthRequiredState,
} from '@agenthost/protocol';
import { type FormEvent, lazy, Suspense, useRef, useState } from 'react';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { Field, TextInput } from '../ui/field.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { PanelFrame } from './panel-frame.tsx';
import type { QuestionTarget } from './question-target.ts';
import { useAnswer } from './use-answer.ts';
import { resourceName } from './waiting-questions.ts';

const OAuthSignIn = lazy(async () => ({ default: (await import('../oauth/oauth-sign-in.tsx')).OAuthSignIn }));

/** Says which access token a tool call waits for and how to give it, and lets a person give it or go on without. */
export function SignInPanel({
  link,
  target,
  toolCall,
  turnId,
  mayAct,
  isNested = false,
}: {
  readonly link: HostLink;
  readonly target: QuestionTarget;
  readonly toolCall: ToolCallAuthRequiredState;
  readonly turnId: string;
  /** False: the panel says what is needed, without a way to give it. */
  readonly mayAct: boolean;
  /** The panel is inside a card, which has a frame. Default false. */
  readonly isNested?: boolean;
}) {
  const panel = useRef<HTMLElement>(null);
  const { isSending, send } = useAnswer(target);
  const { toolCallId, displayName, auth } = toolCall;
  const giveUp = (): void => {
    const pastTenseMessage = text.questions.notSignedIn;
    const result = { success: false, pastTenseMessage, error: { message: pastTenseMessage } };
    void send({ type: 'chat/toolCallComplete', turnId, toolCallId, result });
  };
  return (
    <PanelFrame
      panel={panel}
      ask={toolCallId}
      isNested={isNested}
      title={text.questions.signInTitle(visibleText(resourceName(auth)))}
      intention={text.questions.signInReasons[auth.reason](displayName)}
    >
      <Requirement auth={auth} />
      {mayAct ? (
        <>
          {auth.resource.authorization_servers !== undefined && (
            <Suspense>
              <OAuthSignIn
                link={link}
                request={{ resource: auth.resource.resource, scopes: auth.requiredScopes }}
                name={resourceName(auth)}
              />
            </Suspense>
          )}
          <TokenForm link={link} auth={auth} isGivingUp={isSending} onGiveUp={giveUp} />
        </>
      ) : (
        <p className="text-xs text-muted">{text.questions.readOnly}</p>
      )}
    </PanelFrame>
  );
}

/** The resource, its sign-in servers, and the rights that the token needs. */
function Requirement({ auth }: { readonly auth: McpAuthRequirement }) {
  const { resource, description, requiredScopes = [] } = auth;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    [text.questions.resource, [resource.resource]],
    [text.questions.signInServers, resource.authorization_servers ?? []],
    [text.questions.neededScopes, requiredScopes],
    [
      text.questions.documentation,
      resource.resource_documentation === undefined ? [] : [resource.resource_documentation],
    ],
  ];
  return (
    <>
      {description !== undefined && description !== '' && (
        <p dir="auto" className="max-h-[40vh] overflow-y-auto text-sm whitespace-pre-wrap wrap-anywhere">
          {visibleText(description)}
        </p>
      )}
      <dl className="flex flex-col gap-1 text-sm">
        {rows.map(
          ([label, values]) =>
            values.length > 0 && (
              <div key={label} className="flex flex-wrap gap-x-2">
                <dt className="text-muted">{label}</dt>
                <dd className="flex min-w-0 flex-col wrap-anywhere">
                  {values.map((value) => (
                    <SafeText key={value}>{value}</SafeText>
                  ))}
                </dd>
              </div>
            ),
        )}
      </dl>
    </>
  );
}

function TokenForm({
  link,
  auth,
  isGivingUp,
  onGiveUp,
}: {
  readonly link: HostLink;
  readonly auth: McpAuthRequirement;
  readonly isGivingUp: boolean;
  readonly onGiveUp: () => void;
}) {
  const [token, setToken] = useState('');
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<string>();
  const isBusy = isSending || isGivingUp;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const given = token.trim();
    if (given === '') return setError(text.questions.tokenMissing);
    if (link.client === undefined) return setError(text.questions.notConnected);
    setSending(true);
    setError(undefined);
    try {
      const { resource } = auth.resource;
      await link.client.request('authenticate', { channel: ROOT_URI, resource, token: given });
      setToken('');
    } catch (cause) {
      setError(problemOf(cause));
    } finally {
      setSending(false);
    }
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={(event) => void submit(event)} noValidate>
      <p className="text-sm">{text.questions.signInHow}</p>
      <Field label={text.questions.token} description={text.questions.tokenHint} error={error}>
        {(attributes) => (
          <TextInput
            {...attributes}
            type="password"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            dir="ltr"
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" aria-disabled={isBusy}>
          {text.questions.giveToken}
        </Button>
        <Button aria-disabled={isBusy} onClick={() => !isBusy && onGiveUp()}>
          {text.questions.goOnWithout}
        </Button>
      </div>
    </form>
  );
}

function problemOf(error: unknown): string {
  if (error instanceof RpcError && error.code === ErrorCodes.AuthRequired) return text.questions.tokenRefused;
  return text.questions.tokenFailed(visibleText(messageOf(error)));
}
