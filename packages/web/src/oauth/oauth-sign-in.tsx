import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { oauthText } from '../text/oauth-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { Field, TextInput } from '../ui/field.tsx';
import { Spinner } from '../ui/states.tsx';
import { type OAuthRequest, useOAuth } from './use-oauth.ts';

/** Signs in to a resource that an agent, an MCP server or a tool call needs a token for. The host gets the token; this page never does more than pass a code. */
export function OAuthSignIn({
  link,
  request,
  name,
  onDone,
}: {
  readonly link: HostLink;
  readonly request: OAuthRequest;
  /** Name of the resource for people. */
  readonly name: string;
  /** Called after a success. */
  readonly onDone?: () => void;
}) {
  const { state, begin, cancel } = useOAuth(link, request, onDone);
  const [clientId, setClientId] = useState('');
  if (state.kind === 'done')
    return (
      <p role="status" className="text-sm">
        {oauthText.done(visibleText(name))}
      </p>
    );
  if (state.kind === 'beginning')
    return (
      <p className="flex items-center gap-2 text-sm">
        <Spinner label={oauthText.beginning} />
        <span aria-hidden>{oauthText.beginning}</span>
      </p>
    );
  if (state.kind === 'open') {
    const { url, userCode } = state.begun;
    return (
      <div className="flex flex-col gap-3">
        {userCode === undefined ? (
          <p className="text-sm break-words">{oauthText.openHint(visibleText(new URL(url).host))}</p>
        ) : (
          <p className="text-sm">
            {oauthText.codeHint}{' '}
            <strong aria-label={oauthText.code} className="font-mono text-base tracking-widest select-all">
              {visibleText(userCode)}
            </strong>
          </p>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            className="inline-flex h-9 items-center gap-1.5 rounded-lg bg-accent px-3.5 text-sm font-medium text-on-accent hover:opacity-90 touch:h-11"
          >
            <ExternalLink className="size-4" aria-hidden />
            {oauthText.openPage}
          </a>
          <Button onClick={cancel}>{oauthText.cancel}</Button>
        </div>
        <p className="flex items-center gap-2 text-xs text-muted">
          <Spinner label={oauthText.waiting} />
          <span aria-hidden>{oauthText.waiting}</span>
        </p>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      {state.problem !== undefined && (
        <>
          <p role="alert" className="text-sm break-words text-danger">
            {visibleText(state.problem)}
          </p>
          <Field label={oauthText.clientId} description={oauthText.clientIdHint}>
            {(attributes) => (
              <TextInput
                {...attributes}
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                dir="ltr"
                value={clientId}
                onChange={(event) => setClientId(event.target.value)}
              />
            )}
          </Field>
        </>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="small" look="primary" onClick={() => void begin('redirect', clientId.trim())}>
          {oauthText.signIn}
        </Button>
        <Button size="small" onClick={() => void begin('code', clientId.trim())}>
          {oauthText.withCode}
        </Button>
      </div>
    </div>
  );
}
