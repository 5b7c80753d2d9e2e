import { type FormEvent, lazy, Suspense, useEffect, useEffectEvent, useState } from 'react';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Field, TextInput } from '../ui/field.tsx';
import { FullPage } from '../ui/full-page.tsx';
import { type RefusedLink, takeRefusedLink } from './refused-link.ts';
import { readSignInState, signIn } from './sign-in-state.ts';

const ProviderButton = lazy(async () => ({
  default: (await import('./provider-button.tsx')).ProviderButton,
}));

/** Read before the router sees the address. */
const linkAtStart = takeRefusedLink();

function linkError(refused: RefusedLink | undefined): string | undefined {
  if (refused === undefined) return undefined;
  if (refused.kind === 'wrong') return text.signIn.wrongLink;
  return text.signIn.wait(Math.ceil(refused.waitMs / 1_000));
}

/** Asks for a token, and says where it is. */
export function SignInPage({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [token, setToken] = useState('');
  const [error, setError] = useState(() => linkError(linkAtStart));
  const [isBusy, setBusy] = useState(false);
  const [place, setPlace] = useState<string>();
  const [provider, setProvider] = useState<string>();
  const goOn = useEffectEvent(onSignedIn);
  useEffect(() => {
    let isGone = false;
    readSignInState().then(
      ({ signedIn, tokenPlace, provider: offered }) => {
        if (isGone) return;
        // Another tab signed in again, which ended the connection of this one.
        if (signedIn) goOn();
        else {
          setPlace(tokenPlace);
          setProvider(offered);
        }
      },
      // The form works without the hint.
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, []);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (token.trim() === '') return setError(text.signIn.empty);
    setBusy(true);
    setError(undefined);
    try {
      const result = await signIn(token.trim());
      if (result.ok) return onSignedIn();
      const seconds = Math.ceil(result.waitMs / 1_000);
      setError(seconds > 0 ? text.signIn.wait(seconds) : text.signIn.failed(result.reason));
    } catch {
      setError(text.signIn.unreachable);
    } finally {
      setBusy(false);
    }
  };

  return (
    <FullPage title={text.signIn.title}>
      {provider !== undefined && (
        <Suspense>
          <ProviderButton name={provider} />
        </Suspense>
      )}
      <p>{text.signIn.explain}</p>
      <p className="break-words">
        {text.signIn.where} {place !== undefined && text.signIn.ownerToken(place)}
      </p>
      <form onSubmit={(event) => void submit(event)} className="mt-2 flex flex-col gap-4 text-text">
        <Field label={text.signIn.token} error={error}>
          {(attributes) => (
            <TextInput
              {...attributes}
              type="password"
              name="token"
              autoComplete="current-password"
              autoCapitalize="off"
              spellCheck={false}
              autoFocus
              value={token}
              onChange={(event) => setToken(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" look="primary" disabled={isBusy}>
          {text.signIn.submit}
        </Button>
      </form>
    </FullPage>
  );
}
